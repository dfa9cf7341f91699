export * from '../surfaces/receipts/verification.ts'

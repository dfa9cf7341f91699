export * from '../surfaces/receipts/evidence.ts'

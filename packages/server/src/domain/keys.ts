export * from '../surfaces/receipts/keys.ts'

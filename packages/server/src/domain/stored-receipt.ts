export * from '../surfaces/receipts/stored.ts'

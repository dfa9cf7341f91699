export * from '../surfaces/receipts/organs.ts'

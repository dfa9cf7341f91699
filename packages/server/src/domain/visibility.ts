export * from '../surfaces/receipts/visibility.ts'

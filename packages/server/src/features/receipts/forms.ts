/** What the operations of this surface have in common. */
export const group = 'Receipts and verification'
export const reading = { group, method: 'GET', scope: 'receipts:read' } as const
export const open = { group, method: 'GET', scope: null } as const
export const EXAMPLE_DIGEST = '0'.repeat(64)

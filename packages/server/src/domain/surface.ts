/** The surface an operation belongs to: what stands before the dot of its id. */
export const surfaceOf = (operationId: string): string => operationId.split('.', 1)[0]!

/** Which form of the key an `Accept` header asks for. */
import { formAccepted as preferred } from '../../domain/accept.ts'

export const PEM = 'application/x-pem-file'
export const PLAIN = 'text/plain'
const JSON_TYPE = 'application/json'

type KeyForm = typeof PEM | typeof PLAIN | typeof JSON_TYPE

/** JSON where it is as welcome as another. */
export const formAccepted = (header: string | string[] | undefined): KeyForm =>
  preferred(header, [JSON_TYPE, PEM, PLAIN])

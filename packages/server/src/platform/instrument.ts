/** A port with some of its methods wrapped. Everything else is asked of the port itself, whatever becomes of it later; the
 *  wrapped methods MUST ask it as well, and not keep its functions. */
export const instrument = <T extends object>(port: T, wrapped: Partial<T>): T =>
  Object.assign(Object.create(port) as T, wrapped)

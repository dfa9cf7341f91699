/** A port with some of its methods replaced by measured ones. Everything else is asked of the port itself, whatever becomes
 *  of it later. */
export const instrument = <P extends object>(port: P, measured: Partial<P>): P =>
  Object.assign(Object.create(port) as P, measured)

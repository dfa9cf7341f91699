/** Where a request of ours may go. Names are resolved by others: an answer that points inside is refused whole, so that
 *  a configured host cannot be turned into a way to this machine or its network. */
import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

const LINK_LOCAL: readonly [string, number][] = [
  ['169.254.0.0', 16],
  ['fe80::', 10],
]
const LOOPBACK: readonly [string, number][] = [
  ['127.0.0.0', 8],
  ['::1', 128],
]
/** What an operator may open for a host by name: networks of the operator's own, and nothing that wraps another address. */
const PRIVATE = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'] as const
/** Private networks, shared and reserved ranges, and what wraps an IPv4 address of any kind: translation (64:ff9b and
 *  ::ffff:0:0:0), 6to4 (2002), Teredo and the rest of its protocol registry (2001::/23), and the old compatible form
 *  (::/96). */
const INSIDE = [
  ...PRIVATE,
  ...(['0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24'] as const),
  ...(['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96'] as const),
  ...(['64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16'] as const),
  ...(['fec0::/10', 'ff00::/8'] as const),
]

const rangeOf = (range: string): [string, number] => [range.split('/')[0]!, Number(range.split('/')[1])]

function listOf(...ranges: (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [address, bits] of ranges) list.addSubnet(address, bits, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return list
}

const linkLocal = listOf(...LINK_LOCAL)
const loopback = listOf(...LOOPBACK)
const inside = listOf(...INSIDE.map(rangeOf))
const privateNetworks = listOf(...PRIVATE.map(rangeOf))
const holds = (list: BlockList, address: string): boolean => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

export type Reach = 'public' | 'private' | 'loopback'

/** `reach` is what the operator configured for this very host. */
export function isAllowed(address: string, reach: Reach): boolean {
  if (isIP(address) === 0 || holds(linkLocal, address)) return false
  if (reach === 'loopback') return holds(loopback, address)
  if (holds(loopback, address)) return false
  return !holds(inside, address) || (reach === 'private' && holds(privateNetworks, address))
}

export class DestinationDenied extends Error {}

type ResolveAll = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Resolves once and connects to what was checked: a second answer cannot move the connection. */
export const checkedLookup =
  (reach: Reach, resolve: ResolveAll = lookup): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address, reach)))
        return done(new DestinationDenied('the name resolves to an address that is not allowed'), '')
      const [first] = addresses
      if (options.all) done(null, addresses)
      else done(null, first!.address, first!.family)
    })
  }

const LOOPBACK_NAMES = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** As a URL spells its host. Whatever else may lead to this machine is not taken for it. */
export const isLoopbackHost = ({ hostname }: URL): boolean => LOOPBACK_NAMES.has(hostname)

export function reachOf(url: URL, privateHosts: readonly string[]): Reach {
  if (isLoopbackHost(url)) return 'loopback'
  return privateHosts.includes(url.hostname) ? 'private' : 'public'
}

/** A host that is an address already is never looked up, so it is checked here. */
export function isDeniedLiteral(url: URL, reach: Reach): boolean {
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) !== 0 && !isAllowed(bare, reach)
}

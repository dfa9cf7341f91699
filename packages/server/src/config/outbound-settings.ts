/** The part of the composition root that says how this process asks others. */
import type { OutboundSettings } from '../adapters/outbound/json-exchange.ts'
import type { Config } from './config.ts'

export const outboundSettings = ({ outbound, outboundPrivate, baseUrl }: Config): OutboundSettings => ({
  enabled: outbound,
  privateHosts: outboundPrivate ?? [],
  from: baseUrl,
})

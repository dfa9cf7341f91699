// The client of a command. A settings file in the current folder may name a service, but it may not receive the
// credential of the person who happens to stand in that folder.
import { type Client, createClient, isToken } from '@orch/client'
import { CliError, EXIT, usage } from './exit.ts'
import { FOLDER_FILE, type Setting, type Settings } from './settings.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

export function connect(settings: Settings, { timeoutMs = 15_000, retries = 2 } = {}): Client {
  const url = settings.get('url') as Setting
  const token = settings.get('token')
  if (!URL.canParse(url.value))
    throw usage(`${url.origin}: ${JSON.stringify(url.value)} is not an address such as http://127.0.0.1:8080`)
  if (token) guardToken(url, token)
  try {
    return createClient({ baseUrl: url.value, timeoutMs, retries, ...(token && { token: token.value }) })
  } catch (error) {
    if (error instanceof TypeError)
      throw usage(`${url.origin}: ${error.message}; write for example http://127.0.0.1:8080`)
    throw error
  }
}

function guardToken(url: Setting, token: Setting): void {
  if (!isToken(token.value))
    throw usage(
      `${token.origin}: this is no token, which is one word of printable ASCII such as orch credentials add prints`,
    )
  const { hostname, protocol } = new URL(url.value)
  if (LOOPBACK.test(hostname)) return
  if (url.origin === FOLDER_FILE && token.origin !== FOLDER_FILE)
    throw new CliError(
      EXIT.refused,
      `the address comes from ./${FOLDER_FILE} and the credential from ${token.origin}: confirm it with --url ${url.value}`,
    )
  if (protocol !== 'https:')
    throw new CliError(
      EXIT.refused,
      `a credential is not sent to ${hostname} without TLS: use an address such as --url https://${hostname}`,
    )
}

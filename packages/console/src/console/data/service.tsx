/** The service as this page may ask it: one client, the reader's token, and whether answers come. */
import { type Client, createClient, OrchUnreachable } from '@orch/client'
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'

/** A request is given up after this; nothing is shown as loading for longer. */
const REQUEST_MS = 10_000
/** For what a reader sends himself: some operations compute for as long as the service lets them. */
const PATIENT_MS = 65_000
const TOKEN_KEY = 'orch.token'

interface Service {
  client: Client
  patientClient: Client
  hasToken: boolean
  /** Kept in memory, and for this tab alone where the reader asks for that. Null forgets it. */
  setToken(token: string | null, keepForTab: boolean): void
  isReachable: boolean
  /** Told by whoever asked last. */
  noteAnswer(error: unknown): void
}

const ServiceContext = createContext<Service | null>(null)

export const useService = (): Service => use(ServiceContext) as Service

export function ServiceProvider({ children }: { children: ReactNode }) {
  const [token, keepToken] = useState(() => sessionStorage.getItem(TOKEN_KEY))
  const [isReachable, setReachable] = useState(true)
  const setToken = useCallback((given: string | null, keepForTab: boolean) => {
    if (given !== null && keepForTab) sessionStorage.setItem(TOKEN_KEY, given)
    else sessionStorage.removeItem(TOKEN_KEY)
    keepToken(given)
  }, [])
  const noteAnswer = useCallback((error: unknown) => setReachable(!(error instanceof OrchUnreachable)), [])
  const client = useMemo(() => clientFor(token), [token])
  const patientClient = useMemo(() => clientFor(token, PATIENT_MS), [token])
  const service = useMemo(
    () => ({ client, patientClient, hasToken: token !== null, setToken, isReachable, noteAnswer }),
    [client, patientClient, token, setToken, isReachable, noteAnswer],
  )
  return <ServiceContext value={service}>{children}</ServiceContext>
}

/** Pages ask again by themselves and say so, so no attempt is repeated behind their back. */
const clientFor = (token: string | null, timeoutMs = REQUEST_MS): Client =>
  createClient({ baseUrl: location.origin, timeoutMs, retries: 0, ...(token === null ? {} : { token }) })

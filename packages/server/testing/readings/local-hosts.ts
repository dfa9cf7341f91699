/** A repository host, its CI and a space host on this machine, in the formats of the real ones. A test changes what they
 *  hold, makes single paths misbehave, and takes them away. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const REPOSITORY = 'acme/orch'
export const SPACE = 'acme/console'
export const HEAD = 'a'.repeat(40)
export const SPACE_SHA = 'c'.repeat(40)
export const ANCHOR = 'c7c0ba17'

interface Seen {
  path: string
  headers: IncomingMessage['headers']
}

type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => void

export interface LocalHosts {
  url: string
  seen: Seen[]
  /** What is answered by path and query, as JSON; a path that is not here is a 404. */
  pages: Map<string, unknown>
  /** Answers in place of the page. */
  misbehaving: Map<string, Misbehaviour>
  close(): Promise<void>
}

export async function localHosts(): Promise<LocalHosts> {
  const seen: Seen[] = []
  const pages = new Map<string, unknown>(Object.entries(realPages()))
  const misbehaving = new Map<string, Misbehaviour>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    seen.push({ path, headers: request.headers })
    const odd = misbehaving.get(path)
    if (odd !== undefined) return odd(request, response)
    if (!pages.has(path)) return json(response, 404, { message: 'Not Found' })
    json(response, 200, pages.get(path))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    pages,
    misbehaving,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(JSON.stringify(value))
}

export const PATHS = {
  repository: `/repos/${REPOSITORY}`,
  head: `/repos/${REPOSITORY}/commits/main`,
  ci: `/repos/${REPOSITORY}/actions/runs?branch=main&per_page=1`,
  release: `/repos/${REPOSITORY}/releases/latest`,
  anchor: `/repos/${REPOSITORY}/commits/${ANCHOR}`,
  compare: (base: string, head = HEAD) => `/repos/${REPOSITORY}/compare/${base}...${head}?per_page=1&page=2`,
  space: `/api/spaces/${SPACE}`,
}

export const comparison = (base: string, status: string, ahead_by: number, behind_by: number) => ({
  url: 'https://api.github.com/compare',
  status,
  ahead_by,
  behind_by,
  total_commits: ahead_by,
  base_commit: { sha: base },
  merge_base_commit: { sha: base },
  commits: [],
})

const realPages = () => ({
  [PATHS.repository]: {
    id: 1,
    full_name: REPOSITORY,
    html_url: `https://github.com/${REPOSITORY}`,
    default_branch: 'main',
    pushed_at: '2026-01-02T03:04:05Z',
    license: { key: 'apache-2.0', spdx_id: 'Apache-2.0' },
    archived: false,
    open_issues_count: 7,
    private: false,
  },
  [PATHS.head]: { sha: HEAD, commit: { committer: { name: 'x', date: '2026-01-02T03:00:00Z' }, message: 'Work' } },
  [PATHS.ci]: {
    total_count: 1,
    workflow_runs: [
      {
        id: 9,
        name: 'check',
        status: 'completed',
        conclusion: 'success',
        html_url: `https://github.com/${REPOSITORY}/actions/runs/9`,
        created_at: '2026-01-02T03:01:00Z',
        head_sha: HEAD,
      },
    ],
  },
  [PATHS.release]: {
    tag_name: 'v1.1.0',
    html_url: `https://github.com/${REPOSITORY}/releases/tag/v1.1.0`,
    published_at: '2026-01-01T00:00:00Z',
  },
  [PATHS.anchor]: { sha: `${ANCHOR}${'0'.repeat(31)}1`, commit: { committer: { date: '2025-01-01T00:00:00Z' } } },
  [PATHS.space]: {
    id: SPACE,
    sha: SPACE_SHA,
    lastModified: '2026-01-02T03:04:05.000Z',
    private: false,
    sdk: 'docker',
    runtime: { stage: 'RUNNING', hardware: { current: 'cpu-basic' } },
  },
})

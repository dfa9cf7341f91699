import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newCheckedPage } from '@orch/server/testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '@orch/server/testing/chromium.ts'
import { build, type Metafile } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import type * as vectors from '../../../vectors/cases.ts'
import { type Case, inputOf, type KeysFile, trustOf } from '../../../vectors/cases.ts'
import type * as core from './index.ts'
import { verifyAny } from './index.ts'

type InPage = { orch: typeof core & typeof vectors }

const folder = fileURLToPath(new URL('.', import.meta.url))
const own = (name: string) => JSON.parse(readFileSync(new URL(`../../../vectors/${name}`, import.meta.url), 'utf8'))
const shared = new URL('../../../../shared/vectors/', import.meta.url)
const outside = (name: string) => JSON.parse(readFileSync(new URL(name, shared), 'utf8'))
const keys = own('keys.json') as KeysFile
const cases = own('cases.json') as Case[]
const noBrowser = chromiumUnavailable()

let script = ''
let metafile: Metafile
let browser: Browser
let origin = ''
const server = createServer((request, response) => {
  const isScript = request.url === '/core.js'
  response.setHeader('content-security-policy', "default-src 'none'; script-src 'self'")
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
  response.end(isScript ? script : '<!doctype html><title>core</title><script src="/core.js"></script>')
})

before(async () => {
  const contents = `export * from './index.ts'; export * from '../../../vectors/cases.ts'`
  const bundled = await build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    bundle: true,
    format: 'iife',
    globalName: 'orch',
    platform: 'browser',
    minify: true,
    metafile: true,
    write: false,
  })
  script = bundled.outputFiles[0]!.text
  metafile = bundled.metafile
  if (noBrowser) return
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  browser = await launchChromium()
})

after(async () => {
  await browser?.close()
  server.close()
})

test('core bundles for the browser without a Node built-in and without anything left outside', (t) => {
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports)
  assert.deepEqual(
    imports.filter((one) => one.external || one.path.startsWith('node:')),
    [],
  )
  const files = Object.keys(metafile.inputs)
  assert.deepEqual(
    files.filter((file) => file.includes('node_modules') && !file.includes('@noble/')),
    [],
  )
  t.diagnostic(`${files.length} files, ${script.length} bytes minified`)
})

/** What a page over plain HTTP on a local network, in a browser of some years ago, does without. */
function takeAwayNativeHelp(): void {
  Object.defineProperty(globalThis.crypto, 'subtle', { value: undefined })
  Object.assign(Uint8Array, { fromBase64: undefined, fromHex: undefined })
}

const settings = [
  { name: 'with WebCrypto', subtle: true },
  { name: 'with the pure fallback', subtle: false },
]

for (const { name, subtle } of settings) {
  const open = async (t: { after(done: () => Promise<void>): void }): Promise<Page> => {
    const page = await newCheckedPage(browser, origin, t as Parameters<typeof newCheckedPage>[2])
    if (!subtle) await page.addInitScript(takeAwayNativeHelp)
    await page.goto('/')
    assert.equal(await page.evaluate(() => isSecureContext && Boolean(crypto.subtle)), subtle)
    return page
  }

  test(`every vector of ours gets the same report in a page ${name} as in Node`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    const page = await open(t)
    const inPage = await page.evaluate(inThePage, { cases, keys })
    const here = await Promise.all(cases.map((one) => verifyAny(inputOf(one), trustOf(keys, one))))
    assert.deepEqual(inPage, JSON.parse(JSON.stringify(here)))
    t.diagnostic(`${cases.length} cases`)
  })

  for (const [file, isDer, expected] of [
    ['wycheproof/ecdsa_secp256r1_sha256_test.json', true, { ran: 484, accepted: 174 }],
    ['wycheproof/ecdsa_secp256r1_sha256_p1363_test.json', false, { ran: 262, accepted: 173 }],
  ] as const) {
    test(`the ${expected.ran} public ${isDer ? 'DER' : 'P1363'} signature cases hold in a page ${name}`, async (t) => {
      if (noBrowser) return t.skip(noBrowser)
      if (!existsSync(shared)) return t.skip('SKIPPED: ../shared absent')
      const page = await open(t)
      const groups = outside(file).testGroups as SignatureGroup[]
      const verdicts = await page.evaluate(signatureVerdicts, { groups, isDer })
      const wanted = groups.flatMap(({ tests }) => tests.map(({ result }) => result === 'valid'))
      assert.deepEqual(verdicts, wanted)
      assert.deepEqual({ ran: verdicts.length, accepted: verdicts.filter(Boolean).length }, expected)
    })
  }

  test(`the 518 public Merkle cases hold in a page ${name}`, async (t) => {
    if (noBrowser) return t.skip(noBrowser)
    if (!existsSync(shared)) return t.skip('SKIPPED: ../shared absent')
    const page = await open(t)
    const kinds = ['inclusion', 'consistency', 'subtreeinclusion', 'subtreeconsistency']
    const list = kinds.flatMap((kind) =>
      Object.values(outside(`merkle/${kind}.json`) as Record<string, ProofCase>).map((one) => ({ ...one, kind })),
    )
    const verdicts = await page.evaluate(proofVerdicts, list)
    assert.deepEqual(
      verdicts,
      list.map(({ wantErr }) => !wantErr),
    )
    assert.deepEqual([verdicts.length, verdicts.filter(Boolean).length], [518, 36])
  })
}

// From here on: functions that run inside the page. They see nothing of this file.

type SignatureGroup = { publicKeyPem: string; tests: { msg: string; sig: string; result: string }[] }
type ProofCase = {
  proof: string[] | null
  wantErr: boolean
  root: string
  root1: string
  root2: string
  leafHash: string
  leafIdx: number
  treeSize: number
  size: number
  size1: number
  size2: number
  start: number
  end: number
}

async function inThePage({ cases, keys }: { cases: Case[]; keys: KeysFile }): Promise<unknown[]> {
  const { orch } = globalThis as unknown as InPage
  const reports: unknown[] = []
  for (const one of cases) reports.push(await orch.verifyAny(orch.inputOf(one), orch.trustOf(keys, one)))
  return JSON.parse(JSON.stringify(reports))
}

async function signatureVerdicts({ groups, isDer }: { groups: SignatureGroup[]; isDer: boolean }): Promise<boolean[]> {
  const { orch } = globalThis as unknown as InPage
  const verify = isDer ? orch.verifyP256 : orch.verifyP256Raw
  const verdicts: boolean[] = []
  for (const { publicKeyPem, tests } of groups) {
    const key = orch.importPublicKey(publicKeyPem)!
    for (const { msg, sig } of tests) verdicts.push(await verify(key, orch.hexDecode(msg)!, orch.hexDecode(sig)!))
  }
  return verdicts
}

function proofVerdicts(list: (ProofCase & { kind: string })[]): boolean[] {
  const { orch } = globalThis as unknown as InPage
  const bytes = (text: string | null): Uint8Array => orch.base64Decode(text ?? '') ?? new Uint8Array(0)
  return list.map((one) => {
    const hashes = (one.proof ?? []).map(bytes)
    const [root, leafHash] = [bytes(one.root), bytes(one.leafHash)]
    switch (one.kind) {
      case 'inclusion':
        return orch.verifyInclusion({ leafHash, leafIndex: one.leafIdx, treeSize: one.treeSize, root, hashes })
      case 'subtreeinclusion':
        return orch.verifySubtreeInclusion({
          leafHash,
          leafIndex: one.leafIdx,
          start: one.start,
          end: one.end,
          root,
          hashes,
        })
      case 'consistency': {
        const [fromRoot, toRoot] = [bytes(one.root1), bytes(one.root2)]
        return orch.verifyConsistency({ from: one.size1, to: one.size2, fromRoot, toRoot, hashes })
      }
      default: {
        const [subtreeRoot, whole] = [bytes(one.root1), bytes(one.root2)]
        return orch.verifySubtreeConsistency({
          start: one.start,
          end: one.end,
          size: one.size,
          subtreeRoot,
          root: whole,
          hashes,
        })
      }
    }
  })
}

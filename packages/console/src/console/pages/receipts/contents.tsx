/** What the receipt says: decoded, as its payload, as its envelope, and as the very bytes that were hashed and signed. */
import { explain, hexEncode, LAMBDA_POWER, pae, sha256Hex, utf8Decode } from '@orch/core'
import { Badge } from '../../components/badge.tsx'
import { Digest, signatureWords } from '../../components/digest.tsx'
import { Fact, FactList } from '../../components/facts.tsx'
import { Outcome } from '../../components/outcome.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { statedBy } from '../../data/stated.ts'
import type { ReceiptRecord } from '../../data/verify-here.ts'
import { countWords, gateTitle, kindWords } from '../../words.ts'

interface ContentsProps {
  record: ReceiptRecord
  bytes: Uint8Array | null
  label: string | null
  tab: string | null
  /** Where these bytes were had from, in words. */
  source: string
  onTab(name: string): void
}

export const Contents = ({ record, bytes, label, tab, source, onTab }: ContentsProps) => (
  <section className="card" aria-label="What the receipt says">
    <Tabs
      label="Forms of the receipt"
      chosen={tab}
      onChoose={onTab}
      tabs={[
        { name: 'decoded', title: 'Decoded', content: () => <Decoded record={record} label={label} source={source} /> },
        { name: 'payload', title: 'Payload', content: () => <pre className="json">{pretty(record.body)}</pre> },
        { name: 'dsse', title: 'DSSE', content: () => <Dsse record={record} bytes={bytes} /> },
        { name: 'raw', title: 'Raw bytes', content: () => <Raw bytes={bytes} /> },
      ]}
    />
  </section>
)

const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

function Decoded({ record, label, source }: Pick<ContentsProps, 'record' | 'label' | 'source'>) {
  const stated = statedBy(record)
  const fired = stated.gates.filter(({ verdict }) => verdict !== 'allow')
  const passed = stated.gates.filter(({ verdict }) => verdict === 'allow')
  return (
    <FactList>
      <Fact name="Outcome">
        <Outcome decision={stated.decision} /> <Badge label={label} source={source} />
      </Fact>
      <Fact name="Kind">{kindWords(record.kind)}</Fact>
      {stated.reasons.length === 0 ? null : (
        <Fact name="Reasons">
          {stated.reasons.map((code) => (
            <p key={code}>
              {explain(code)?.title ?? code} <code className="quiet">{code}</code>
            </p>
          ))}
        </Fact>
      )}
      {stated.rules.length === 0 ? null : (
        <Fact name="Rules">
          {stated.rules.map((code) => (
            <p key={code}>
              <code>{code}</code> {explain(code)?.sentence ?? 'a rule of the operator'}
            </p>
          ))}
        </Fact>
      )}
      {stated.gates.length === 0 ? null : (
        <>
          <Fact name="Gates fired">{named(fired)}</Fact>
          <Fact name="Gates passed">{named(passed)}</Fact>
        </>
      )}
      {stated.lambda === null ? null : (
        <Fact name="Lambda">
          {stated.lambda} {stated.floor === null ? '' : `with its floor at ${stated.floor.toFixed(2)}`}, {LAMBDA_POWER}
        </Fact>
      )}
      {stated.inputDigest === null ? null : (
        <Fact name="Input">
          {stated.inputLength === null ? '' : `${countWords(stated.inputLength)} characters, kept as a digest only `}
          <Digest value={stated.inputDigest} />
        </Fact>
      )}
      {stated.rulesDigest === null ? null : (
        <Fact name="Rules set">
          <Digest value={stated.rulesDigest} />
        </Fact>
      )}
      {stated.policyDigest === null ? null : (
        <Fact name="Policy set">
          <Digest value={stated.policyDigest} />
        </Fact>
      )}
      <Fact name="Asked by">
        {stated.owner ?? 'not stated'}, {stated.authMode ?? 'unknown'} mode
        {stated.agent === null ? '' : '; agent name stated by the caller'}
      </Fact>
      {stated.requestId === null ? null : (
        <Fact name="Request">
          <code>{stated.requestId}</code>
        </Fact>
      )}
    </FactList>
  )
}

const named = (gates: readonly { name: string }[]): string =>
  gates.length === 0 ? 'none' : gates.map(({ name }) => gateTitle(name)).join(', ')

/** What the key signed is the PAE: the type and the payload, each after its length. It is made here from the envelope. */
function Dsse({ record, bytes }: Pick<ContentsProps, 'record' | 'bytes'>) {
  const { dsse } = record
  const signed = bytes === null ? null : pae(dsse.payloadType, bytes)
  return (
    <>
      <FactList>
        <Fact name="Payload type">
          <code>{dsse.payloadType}</code>
        </Fact>
        {signed === null || bytes === null ? null : (
          <>
            <Fact name="PAE">
              <code>{utf8Decode(signed.subarray(0, signed.length - bytes.length))}</code>
              <span className="quiet"> and the payload, {countWords(signed.length)} bytes</span>
            </Fact>
            <Fact name="PAE SHA-256">
              <Digest value={sha256Hex(signed)} />{' '}
              <span className="quiet">
                computed in this page{dsse._pae_sha256 === sha256Hex(signed) ? ', as the envelope states' : ''}
              </span>
            </Fact>
          </>
        )}
        <Fact name="Key">
          {record.keyid === null ? 'none' : <Digest value={record.keyid} />} {signatureWords(record)}
        </Fact>
      </FactList>
      <pre className="json">{pretty(dsse)}</pre>
    </>
  )
}

const LINE = 16
const MAX_BYTES = 64 * 1024

function Raw({ bytes }: { bytes: Uint8Array | null }) {
  if (bytes === null) return <p>The envelope holds no bytes that can be read.</p>
  return (
    <>
      <p className="quiet small">
        {countWords(bytes.length)} bytes, SHA-256 computed in this page: <Digest value={sha256Hex(bytes)} />
      </p>
      <pre className="hexdump json">{hexDump(bytes.subarray(0, MAX_BYTES))}</pre>
    </>
  )
}

function hexDump(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += LINE) {
    const part = bytes.subarray(at, at + LINE)
    const hex = (hexEncode(part).match(/../g) ?? []).join(' ')
    const shown = (utf8Decode(part.map((byte) => (byte >= 0x20 && byte < 0x7f ? byte : 0x2e))) ?? '').padEnd(LINE)
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(LINE * 3)} ${shown}`)
  }
  return lines.join('\n')
}

/** The verifier and the rules it stands on: all that is public. Runs unchanged in the server, the command line and the
 *  browser. What is not listed here is a detail of its file. */
export {
  assertPortable,
  CanonicalError,
  canonicalBytes,
  canonicalBytesPortable,
  canonicalize,
  canonicalizePortable,
  round6,
} from './canonical.ts'
export {
  type BreakReason,
  ChainWalker,
  describeBreak,
  mayGoUnsigned,
  verifyChain,
  type WalkedChain,
  type WalkState,
} from './chain.ts'
export {
  type Checkpoint,
  formatCheckpoint,
  formatVkey,
  generationOf,
  type NoteKey,
  type NoteSigner,
  nextOrigin,
  noteKeyHash,
  parseCheckpoint,
  parseNote,
  parseVkey,
  signNote,
  verifyCheckpoint,
  verifyNote,
} from './checkpoint.ts'
export { cutText } from './cut-text.ts'
export { sha3_256Hex, sha256, sha256Hex } from './digest.ts'
export {
  BUILD_VERSION,
  CONJECTURES,
  DOCTRINE,
  GENESIS_PREV,
  INTERFACE_VERSION,
  KERNEL_COMMIT,
  KERNEL_PROOFS,
  LAMBDA,
  LAMBDA_FORMULA,
  LAMBDA_POWER,
  LOCK,
  LOCKED_FORMULAS,
  RECEIPT_PAYLOAD_TYPE,
  SIGNING_SCHEME,
} from './doctrine.ts'
export { type Envelope, pae, paeSha256Hex, parseEnvelope, signEnvelope, verifyEnvelope } from './dsse.ts'
export {
  base64Decode,
  base64Encode,
  base64urlDecode,
  base64urlEncode,
  derToRaw,
  hexDecode,
  hexEncode,
  pemEncode,
  pointToSpki,
  rawToDer,
  utf8Decode,
  utf8Encode,
} from './encoding.ts'
export {
  DATA_SHARDS,
  decodeShards,
  encodeShards,
  freeBytes,
  packSnapshot,
  TOTAL_SHARDS,
  unpackSnapshot,
} from './erasure.ts'
export {
  type Explanation,
  explain,
  explainAll,
  GATE_EXPLANATIONS,
  REASON_EXPLANATIONS,
  RULE_EXPLANATIONS,
  UNREGISTERED_TOOL,
} from './explanations.ts'
export { authorityDocument } from './formulas/authority.ts'
export { checkFormula, type FormulaCheck, type PropertyRun, runProperty } from './formulas/check.ts'
export {
  affords,
  assertAcyclic,
  assertEmitsNext,
  assertFifo,
  InvariantViolation,
  postTransaction,
  replayDigest,
  replays,
  spend,
  weightedSum,
} from './formulas/invariants.ts'
export { checkSemantics, drawInputs, lambdaCounterexample } from './formulas/lambda.ts'
export type { Property } from './formulas/properties.ts'
export { type FormulaRegistry, RegistryError, readRegistry } from './formulas/registry.ts'
export { sfc32 } from './formulas/sfc32.ts'
export { type FormulaTiers, formulaTiers } from './formulas/tiers.ts'
export {
  constantsLock,
  executedIds,
  type KernelVerification,
  registryLock,
  type Testimony,
  verifyKernel,
} from './formulas/witnesses.ts'
export {
  checkStrictJson,
  JsonError,
  type JsonErrorCode,
  type JsonValue,
  parseStrictJson,
  placeOf,
  strictJsonOrNull,
} from './json.ts'
export { parseJsonText } from './json-text.ts'
export {
  type ClockNow,
  isLabel,
  LABEL_MEANINGS,
  LABELS,
  type Label,
  type Live,
  live,
  type Measured,
  measured,
  type Reading,
  reading,
  readingAsync,
  simulated,
  type Unavailable,
  unavailable,
} from './label.ts'
export { LAKE_SCHEMA, lakeHash, lakeText, organOf } from './lake.ts'
export { AXIS_WEIGHTS, axisValues } from './lambda/axes.ts'
export {
  type Effect,
  FINDING_WEIGHTS,
  type LambdaInputs,
  type Origin,
  type RuleCount,
  type SensitivityClass,
  type Severity,
} from './lambda/inputs.ts'
export { LAMBDA_FORMULA_ID, type Lambda, lambdaOf } from './lambda/lambda.ts'
export {
  appendLeaf,
  consistencyProof,
  emptyFrontier,
  type Frontier,
  frontierAt,
  frontierRoot,
  HASH_BYTES,
  type InclusionStep,
  inclusionProof,
  inclusionSteps,
  leafHash,
  type NodeCoordinate,
  nodeHash,
  type ReadNodes,
  rootOf,
  verifyConsistency,
  verifyInclusion,
  verifySubtreeConsistency,
  verifySubtreeInclusion,
} from './merkle.ts'
export { distance, nearest } from './nearest.ts'
export { importPublicKey, type PublicKey, verifyP256, verifyP256Raw, verifyP256Sync } from './p256.ts'
export {
  type BodyTemplate,
  bodyTemplate,
  bodyText,
  DECISIONS,
  type Decision,
  RECEIPT_KINDS,
  type ReceiptBody,
  type ReceiptDraft,
  type ReceiptKind,
  type SigningKeyKind,
} from './receipt.ts'
export {
  encodeEntryBundle,
  type HashTile,
  nodesFromTiles,
  parseTilePath,
  TILE_HEIGHT,
  TILE_WIDTH,
  type Tile,
  tileWidth,
} from './tiles.ts'
export { readBody } from './verify/body.ts'
export {
  DecisionLinks,
  type NamedApproval,
  type NamedCharge,
  SAME_SESSION_MS,
  type SessionCharge,
} from './verify/decision-links.ts'
export { type DecodedDecision, type RestoreFacts, restoreSentence } from './verify/decoded.ts'
export { headline } from './verify/headline.ts'
export { checkInclusion } from './verify/inclusion.ts'
export { checkLambda } from './verify/lambda.ts'
export { LedgerExportVerifier, type SignatureJob, type VerifySignatures } from './verify/ledger-export.ts'
export {
  type ExportedKey,
  footerLine,
  headerLine,
  isFooterLine,
  LEDGER_EXPORT_SCHEMA,
  type LedgerExportHeader,
  type LedgerExportReceipt,
  readFooterLine,
  readHeaderLine,
  readReceiptLine,
  receiptLine,
} from './verify/ledger-lines.ts'
export {
  EMPTY_RECORD,
  isUnsignedAt,
  type LedgerRecord,
  parseRecord,
  type RecordedKey,
  readRecord,
  signRecord,
  type UnsignedSpan,
  withKey,
  withUnsigned,
} from './verify/ledger-record.ts'
export { fetchKeyCommand, NO_KEY_TO_FETCH, offlineCommands } from './verify/offline-steps.ts'
export { PACK_PAYLOAD_TYPE, packDigest, packStatement, verifyPack } from './verify/pack.ts'
export {
  MAX_PACK_RECEIPTS,
  PACK_ENVELOPE_SCHEMA,
  PACK_SCHEMA,
  PACK_SIGNATURE_ALG,
  PACK_TEXT,
} from './verify/pack-shape.ts'
export {
  CHAIN_OF_TITLE_PIN,
  CHAIN_OF_TITLE_PREDICATE,
  COVERAGE_RULE,
  chainOfTitlePolicy,
  coverageOf,
  POLICY_RULES,
  type PolicyResult,
  type PolicyRule,
  TRAINING_CONFIG_FIELDS,
} from './verify/policy.ts'
export { DSSE_VERSION } from './verify/presented.ts'
export { verifyReceipt } from './verify/receipt.ts'
export { recognise, verifyAny, verifyExport, verifyLedgerExport } from './verify/recognise.ts'
export { REPLY_DIGEST, replyDigest } from './verify/reply.ts'
export {
  CHECK_NAMES,
  CHECK_STATUSES,
  CHECKS,
  type Check,
  type CheckName,
  type CheckStatus,
  check,
  DOES_NOT_PROVE,
  EVIDENCE_KINDS,
  type EvidenceKind,
  makeReport,
  noEvidence,
  noInput,
  REPORT_SCHEMA,
  VERDICTS,
  type Verdict,
  type VerificationReport,
} from './verify/report.ts'
export {
  CHAIN_OF_TITLE_SCHEMA,
  STATEMENT_PAYLOAD_TYPE,
  STATEMENT_SIGNATURE_STATUSES,
  STATEMENT_TYPE,
  type StatementSignatureStatus,
  statementIn,
  verifyStatement,
} from './verify/statement.ts'
export { NOT_CLAIMED } from './verify/title-facts.ts'
export { type ChainContext, KEY_HONESTY, KEY_KINDS, type KeyKind, type Trust, type TrustedKey } from './verify/trust.ts'
export {
  type AddCheckpoint,
  cosign,
  formatAddCheckpoint,
  formatWitnessKey,
  isCosigned,
  MAX_WITNESS_REQUEST_BYTES,
  parseAddCheckpoint,
  parseWitnessKey,
} from './witness.ts'

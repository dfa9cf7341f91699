// The verbs the experts know, by what doing them would do. A tilde marks a word that is a noun or an adjective as well
// and counts only where a verb can stand. Inflected forms are made from these; irregular ones are listed.

export const ACTION_CLASSES = ['read', 'write', 'send', 'execute', 'pay', 'delete'] as const
export type ActionClass = (typeof ACTION_CLASSES)[number]

export const VERBS: Record<ActionClass, string> = {
  read: 'read list~ show~ view~ find search~ count~ summarise summarize explain describe check~ inspect compare analyse analyze display~ query~ look~ fetch download~ tell verify monitor~ translate classify examine retrieve get use~ review~ print~ calculate compute answer~ suggest recommend identify extract evaluate measure~ discuss outline~ sort~ filter~',
  write:
    'write create update~ edit~ modify change~ add insert append save store~ set~ rename move~ copy~ replace overwrite configure patch~ commit~ merge~ register assign enable disable schedule~ rotate grant~ revoke restore alter put mark~ adjust rewrite',
  send: 'send email~ mail~ forward~ share~ post~ publish upload~ transmit submit broadcast~ notify message~ export~ leak~ exfiltrate tweet~ fax~ deliver dispatch~ relay~ disclose expose curl wget scp rsync',
  execute:
    'execute run~ launch~ restart~ reboot~ deploy install invoke trigger~ compile spawn~ kill~ terminate start~ shutdown~ stop~',
  pay: 'pay~ wire~ remit purchase~ buy order~ refund~ reimburse donate charge~ withdraw deposit~ sell trade~ subscribe transfer~',
  delete:
    'delete remove erase wipe~ purge~ destroy drop~ truncate shred~ format~ clear~ empty~ uninstall unlink discard nuke~ scrub~ trash~ obliterate annihilate eradicate rm rmdir del',
}

/** Several words that are one verb. */
export const VERB_PHRASES: readonly [phrase: string, kind: ActionClass][] = [
  ['get rid of', 'delete'],
  ['getting rid of', 'delete'],
  ['throw away', 'delete'],
  ['throw out', 'delete'],
  ['do away with', 'delete'],
  ['blow away', 'delete'],
  ['tear down', 'delete'],
  ['shut down', 'execute'],
  ['carry out', 'execute'],
  ['hand over', 'send'],
  ['pass on', 'send'],
]

/** Nouns of an action, counted before `of`. */
export const NOUNS: Record<string, ActionClass> = {
  deletion: 'delete',
  removal: 'delete',
  erasure: 'delete',
  destruction: 'delete',
  payment: 'pay',
  transmission: 'send',
  disclosure: 'send',
  publication: 'send',
  execution: 'execute',
}

/** Past form and participle; where one is missing the regular rule holds. */
export const IRREGULAR: Record<string, string[]> = {
  send: ['sent'],
  pay: ['paid'],
  read: ['read'],
  write: ['wrote', 'written'],
  rewrite: ['rewrote', 'rewritten'],
  overwrite: ['overwrote', 'overwritten'],
  buy: ['bought'],
  sell: ['sold'],
  find: ['found'],
  show: ['shown'],
  tell: ['told'],
  get: ['got'],
  put: ['put'],
  set: ['set'],
  run: ['ran', 'run'],
  withdraw: ['withdrew', 'withdrawn'],
}

/** The last consonant is doubled before -ed and -ing. */
export const DOUBLING = new Set([
  'drop',
  'stop',
  'run',
  'set',
  'put',
  'get',
  'commit',
  'submit',
  'transmit',
  'remit',
  'scrub',
  'wrap',
  'format',
  'transfer',
])

/** What a person means by these is no action. */
export const IDIOMS = [
  'pay attention',
  'pays attention',
  'paying attention',
  'pay heed',
  'pay respect',
  'run into',
  'drop me',
  'drop us',
  'get started',
  'set aside',
  'clear that',
  'clear why',
  'clear how',
  'clear whether',
]

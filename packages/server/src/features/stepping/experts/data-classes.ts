// Names of data that must not leave unasked, and of places outside.

export const DATA_PHRASES = [
  'password',
  'passwords',
  'passphrase',
  'credential',
  'credentials',
  'secret',
  'secrets',
  'api key',
  'api keys',
  'apikey',
  'access key',
  'access keys',
  'access token',
  'access tokens',
  'token',
  'tokens',
  'private key',
  'private keys',
  'ssh key',
  'ssh keys',
  'id rsa',
  'etc passwd',
  'etc shadow',
  'env file',
  'environment variables',
  'ssn',
  'social security number',
  'social security numbers',
  'card number',
  'card numbers',
  'credit card',
  'credit cards',
  'iban',
  'account number',
  'account numbers',
  'bank details',
  'customer data',
  'customer records',
  'customer list',
  'customer database',
  'user data',
  'personal data',
  'personal information',
  'pii',
  'medical record',
  'medical records',
  'patient record',
  'patient records',
  'patient data',
  'health records',
  'payroll',
  'salaries',
  'database dump',
  'source code',
  'system prompt',
  'trade secret',
  'trade secrets',
  'confidential',
]
/** After these the word names a subject and no value. */
export const NOT_DATA_BEFORE = new Set(
  'policy policies reset manager requirements rules strength hygiene rotation length guidelines management expiry count counts limit limits'.split(
    ' ',
  ),
)

/** Places outside, as the head of where something goes; a URL or an address is one by its form. */
export const OUTSIDE = new Set(
  'pastebin webhook gist dropbox telegram discord slack internet web public competitor competitors outside external externally ftp'.split(
    ' ',
  ),
)

/** What holds the data of many: to delete one of these is to delete everything in it. */
const STORES = new Set(
  (
    'database databases db namespace bucket table production prod cluster keyspace schema backup ' +
    'datenbank produktionsdatenbank tabelle produktion base bases données donnees datos dados banco tabla tabela ' +
    'база базу базы данных таблицу прод продакшн'
  ).split(' '),
)
const STORES_UNSPACED = [
  '数据库',
  '数据表',
  '存储桶',
  '命名空间',
  '生产环境',
  'データベース',
  'テーブル',
  '本番',
  'バケット',
]

/** Scripts without blanks may glue the word to others. */
export const namesStore = (heads: readonly string[]): boolean =>
  heads.some((head) => STORES.has(head) || STORES_UNSPACED.some((store) => head.includes(store)))

/** Files that hold keys, passwords or tokens, by their names as every machine has them. */
const PARTS = [
  '.ssh/',
  'id_rsa',
  'id_ed25519',
  'id_ecdsa',
  'id_dsa',
  '.aws/',
  '.kube/config',
  'kubeconfig',
  '/etc/shadow',
  '/etc/passwd',
  '/etc/sudoers',
  '/etc/kubernetes/',
  '/etc/krb5.keytab',
  '.gnupg',
  '.docker/config.json',
  '.npmrc',
  '.pypirc',
  '.netrc',
  '.git-credentials',
  '.config/gcloud',
  '.azure/',
  '.pgpass',
  '.my.cnf',
  '.vault-token',
  '.bash_history',
  'serviceaccount/token',
  'wallet.dat',
  'ntds.dit',
  'login data',
  'credentials.json',
  'secrets.yaml',
  'secrets.yml',
  '/proc/self/environ',
]
const ENDINGS = [
  '.pem',
  '.key',
  '.pfx',
  '.p12',
  '.kdbx',
  '.jks',
  '.ppk',
  '.keystore',
  '.ssh',
  '.aws',
  '.kube',
  '.env',
  '.env.local',
  '.env.production',
  '.env.prod',
]

/** A public key is there to be handed out. */
export function isSensitiveFile(argument: string): boolean {
  const path = argument.replace(/[)\]}"'`,;]{1,4}$/, '')
  if (path.endsWith('.pub') || path.endsWith('known_hosts') || path.endsWith('authorized_keys')) return false
  return PARTS.some((part) => path.includes(part)) || ENDINGS.some((ending) => path.endsWith(ending))
}

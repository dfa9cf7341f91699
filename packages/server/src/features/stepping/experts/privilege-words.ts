// Words that ask for more power, or for less control over it.

export const PRIVILEGE_PHRASES = [
  'sudo',
  'root',
  'setuid',
  'doas',
  'chmod 777',
  'as administrator',
  'as admin',
  'admin rights',
  'admin access',
  'admin privileges',
  'administrator rights',
  'administrator access',
  'administrator privileges',
  'superuser',
  'privilege escalation',
  'escalate privileges',
  'elevated privileges',
  'elevate privileges',
  'god mode',
]
/** `root` that is none: the word before it, or the word after it. */
export const ROOT_BEFORE = new Set(['square', 'cube', 'merkle', 'tree', 'grass'])
export const ROOT_AFTER = new Set([
  'cause',
  'causes',
  'directory',
  'folder',
  'node',
  'hash',
  'of',
  'element',
  'path',
  'word',
])

/** One of the first, then one of the second within four words. */
export const SWITCHING_OFF = new Set(
  'disable disables disabling deactivate bypass bypassing circumvent skip skipping evade override suppress mute turnoff switchoff'.split(
    ' ',
  ),
)
export const CONTROLS = new Set(
  'logging logs log audit auditing audits monitoring alerts alerting firewall antivirus mfa 2fa authentication authorization authorisation approval approvals review reviews policy policies checks controls safeguards safeguard sandbox guardrails gate gates limits quota budget permissions'.split(
    ' ',
  ),
)
export const CONTROL_REACH = 4

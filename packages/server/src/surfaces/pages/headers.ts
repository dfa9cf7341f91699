/** What every page of ours is sent with, beside its own policy. */
export const pageHeaders = (policy: string): Record<string, string> => ({
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': NOTHING_ALLOWED,
  // The policy of a page that is also opened from disk cannot name who may frame it.
  'x-frame-options': 'DENY',
})

const NOTHING_ALLOWED = [
  ...['accelerometer', 'autoplay', 'camera', 'display-capture', 'encrypted-media', 'fullscreen', 'geolocation'],
  ...['gyroscope', 'magnetometer', 'microphone', 'midi', 'payment', 'picture-in-picture'],
  ...['publickey-credentials-get', 'screen-wake-lock', 'usb', 'xr-spatial-tracking'],
]
  .map((feature) => `${feature}=()`)
  .join(', ')

/** Names that every object has of itself: the validator compares and the patch copies by them, so that as names in JSON they
 *  would mislead both. */
export const OWN_NAMES = 'must not hold a property named __proto__, constructor, valueOf or toString'
export const holdsOwnNames = (value: unknown): boolean =>
  /"(?:__proto__|constructor|valueOf|toString)":/.test(JSON.stringify(value) ?? '')

/** The types a body may have: JSON and its relatives, in UTF-8. */
export const JSON_BODY = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i

/** How far documents are counted for a number that is told as one: quotas can be raised, so there is no other end. */
export const TO_THE_END = Number.MAX_SAFE_INTEGER

/** Text as it stands in markup, between tags and between double quotes alike. */
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escaped = (text: string): string => text.replace(/[&<>"]/g, (mark) => ENTITIES[mark] as string)

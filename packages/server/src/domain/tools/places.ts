/** The time zone of a place: a name of the time zone database, the city in one, or one of the names people use instead. */

const OTHER_NAMES: Readonly<Record<string, string>> = {
  utc: 'UTC',
  gmt: 'UTC',
  greenwich: 'Europe/London',
  england: 'Europe/London',
  uk: 'Europe/London',
  germany: 'Europe/Berlin',
  munich: 'Europe/Berlin',
  hamburg: 'Europe/Berlin',
  frankfurt: 'Europe/Berlin',
  france: 'Europe/Paris',
  spain: 'Europe/Madrid',
  italy: 'Europe/Rome',
  milan: 'Europe/Rome',
  switzerland: 'Europe/Zurich',
  geneva: 'Europe/Zurich',
  nyc: 'America/New_York',
  boston: 'America/New_York',
  washington: 'America/New_York',
  'washington dc': 'America/New_York',
  miami: 'America/New_York',
  'san francisco': 'America/Los_Angeles',
  'los angeles': 'America/Los_Angeles',
  seattle: 'America/Los_Angeles',
  california: 'America/Los_Angeles',
  dallas: 'America/Chicago',
  houston: 'America/Chicago',
  montreal: 'America/Toronto',
  'rio de janeiro': 'America/Sao_Paulo',
  brasilia: 'America/Sao_Paulo',
  beijing: 'Asia/Shanghai',
  china: 'Asia/Shanghai',
  japan: 'Asia/Tokyo',
  osaka: 'Asia/Tokyo',
  india: 'Asia/Kolkata',
  delhi: 'Asia/Kolkata',
  'new delhi': 'Asia/Kolkata',
  mumbai: 'Asia/Kolkata',
  bangalore: 'Asia/Kolkata',
  kolkata: 'Asia/Kolkata',
  'saint petersburg': 'Europe/Moscow',
  korea: 'Asia/Seoul',
}

const ZONES = new Map<string, string>([
  ...Intl.supportedValuesOf('timeZone').flatMap((zone): [string, string][] => [
    [cityOf(zone), zone],
    [zone.toLowerCase(), zone],
  ]),
  ...Object.entries(OTHER_NAMES),
])

function cityOf(zone: string): string {
  return zone
    .slice(zone.lastIndexOf('/') + 1)
    .replaceAll('_', ' ')
    .toLowerCase()
}

export const zoneOf = (place: string): string | null => ZONES.get(place.trim().toLowerCase()) ?? null

/** The clock of a zone, as `2026-11-15T18:00:00+01:00`. */
export function localTime(now: number, zone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    ...{ second: '2-digit', hourCycle: 'h23', timeZoneName: 'longOffset' },
  })
  const part = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]))
  const offset = part.timeZoneName!.replace('GMT', '') || '+00:00'
  return `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}${offset}`
}

/** The time zone of a place: a name of the time zone database, the city in one, or one of the names people use instead. */
import otherNames from './place-names.json' with { type: 'json' }

const ZONES = new Map<string, string>([
  ...Intl.supportedValuesOf('timeZone').flatMap((zone): [string, string][] => [
    [cityOf(zone), zone],
    [zone.toLowerCase(), zone],
  ]),
  ...Object.entries(otherNames),
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

// German. Weak verbs are made by rule, strong ones are listed; verbs in two parts stand apart.
import { type Language, listed, words } from './language.ts'

/** Infinitive, order with and without -e, present, participle. `be-`, `ent-`, `er-`, `ver-`, `zer-`, `über-` and `-ieren` take
 *  no `ge-`. */
function weak(list: string): string[] {
  return words(list).map((lemma) => {
    const stem = lemma.endsWith('en') ? lemma.slice(0, -2) : lemma.slice(0, -1)
    const present = /[td]$/.test(stem) ? `${stem}et` : `${stem}t`
    const past = /^(?:be|ent|er|ver|zer|über|wider)/.test(stem) || stem.endsWith('ier') ? present : `ge${present}`
    return [lemma, `${stem}e`, present, ...(past === present ? [] : [`=${past}`])].join(' ')
  })
}

const strong = (list: string): string[] => list.split(' / ')

export const GERMAN: Language = {
  code: 'de',
  verbs: listed({
    read: [
      ...weak(
        'zeigen suchen zählen erklären vergleichen prüfen überprüfen analysieren auflisten anzeigen übersetzen untersuchen',
      ),
      ...strong(
        'lesen lies lest liest lese =gelesen / finden finde findet =gefunden / beschreiben beschreibe beschreibt / zusammenfassen zusammenzufassen / nachsehen nachzusehen / ansehen anzusehen / zeig / auflisten aufzulisten / herunterladen herunterzuladen =heruntergeladen',
      ),
    ],
    write: [
      ...weak(
        'erstellen ändern aktualisieren bearbeiten speichern kopieren ersetzen konfigurieren verändern ergänzen überschreiben eintragen aktivieren deaktivieren umbenennen einfügen hinzufügen anlegen',
      ),
      ...strong(
        'schreiben schreibe schreib schreibt =geschrieben / verschieben verschiebe verschiebt =verschoben / anlegen anzulegen =angelegt / hinzufügen hinzuzufügen =hinzugefügt / abschalten abzuschalten =abgeschaltet',
      ),
    ],
    send: [
      ...weak(
        'schicken senden verschicken verteilen teilen veröffentlichen mailen exportieren übermitteln hochladen weiterleiten',
      ),
      ...strong(
        'versenden versende versendet =versandt / schick / hochladen hochzuladen =hochgeladen / weiterleiten weiterzuleiten =weitergeleitet / weitergeben weiterzugeben =weitergegeben / posten poste postet =gepostet',
      ),
    ],
    execute: [
      ...weak('starten stoppen installieren beenden ausführen neustarten deployen'),
      ...strong(
        'ausführen auszuführen =ausgeführt / neustarten neuzustarten / abbrechen abzubrechen / herunterfahren herunterzufahren =heruntergefahren',
      ),
    ],
    pay: [
      ...weak('zahlen bezahlen kaufen bestellen spenden erstatten buchen einkaufen'),
      ...strong(
        'überweisen überweise überweist überweis =überwiesen / einzahlen einzuzahlen =eingezahlt / auszahlen auszuzahlen =ausgezahlt / kauf',
      ),
    ],
    delete: [
      ...weak('löschen entfernen vernichten zerstören leeren säubern formatieren bereinigen ausradieren tilgen'),
      ...strong(
        'lösch / entfern / wegwerfen wegzuwerfen =weggeworfen / verwerfen verwirf / beseitigen beseitige beseitigt / ausleeren auszuleeren',
      ),
    ],
  }),
  separable: [
    { lemma: 'ausführen', kind: 'execute', forms: words('führe führ führt führen'), particles: ['aus', 'durch'] },
    {
      lemma: 'herunterfahren',
      kind: 'execute',
      forms: words('fahre fahrt fahren'),
      particles: ['herunter', 'runter'],
    },
    { lemma: 'abbrechen', kind: 'execute', forms: words('brich brecht brechen'), particles: ['ab'] },
    { lemma: 'hochladen', kind: 'send', forms: words('lade ladet laden'), particles: ['hoch'] },
    { lemma: 'herunterladen', kind: 'read', forms: words('lade ladet laden'), particles: ['herunter', 'runter'] },
    { lemma: 'weiterleiten', kind: 'send', forms: words('leite leit leitet leiten'), particles: ['weiter'] },
    { lemma: 'weitergeben', kind: 'send', forms: words('gib gebt geben'), particles: ['weiter', 'heraus', 'preis'] },
    { lemma: 'anlegen', kind: 'write', forms: words('lege legt legen'), particles: ['an'] },
    { lemma: 'hinzufügen', kind: 'write', forms: words('füge füg fügt fügen'), particles: ['hinzu', 'ein'] },
    { lemma: 'abschalten', kind: 'write', forms: words('schalte schalt schaltet schalten'), particles: ['ab', 'aus'] },
    { lemma: 'umbenennen', kind: 'write', forms: words('benenne benennt benennen'), particles: ['um'] },
    { lemma: 'wegwerfen', kind: 'delete', forms: words('wirf werft werfen'), particles: ['weg'] },
    { lemma: 'zusammenfassen', kind: 'read', forms: words('fasse fasst fassen'), particles: ['zusammen'] },
    { lemma: 'nachsehen', kind: 'read', forms: words('sieh seht schau schaut'), particles: ['nach', 'an'] },
    { lemma: 'auflisten', kind: 'read', forms: words('liste listet'), particles: ['auf'] },
  ],
  universal: words(
    'alle alles allen aller jede jeden jedes jeder jedem sämtliche sämtlichen sämtliches komplett komplette ganze ganzen gesamte gesamten',
  ),
  negations: words('nicht nie niemals kein keine keinen keinem keiner keinerlei nichts'),
  between: words('zu bitte mehr auf keinen fall unter umständen'),
  asking: words('was wie warum wieso weshalb wann wer wo welche welcher welches woher'),
  passive: words('werden muss müssen soll sollen sollte sollten gehört gehören wird'),
  small: words(
    'der die das den dem des ein eine einen einem einer eines bitte sofort jetzt und oder mit von vom für auf in im an am aus bei zu zum zur mir uns ihnen ihr du sie wir ich er es doch mal nun gleich dann danach anschließend sofort heute noch auch ab um weg hoch weiter hinzu an zusammen herunter runter aus werden muss müssen soll sollen',
  ),
}

// French. Verbs in -er are made by rule, the others are listed. Apostrophes are left out of words, so an elided `n'` stands
// before its verb as one word with it.
import { type ForeignVerb, type Language, listed, words } from './language.ts'

/** Infinitive, orders of tu, vous and nous, participles. */
const regular = (list: string): string[] =>
  words(list).map((lemma) => {
    const stem = lemma.slice(0, -2)
    const soft = /[g]$/.test(stem) ? `${stem}e` : stem.replace(/c$/, 'ç')
    const [past, ...endings] = ['é', 'e', 'es', 'ez', 'ons']
    const forms = endings.map((ending) => (ending === 'ons' ? soft : stem) + ending)
    const pasts = ['', 'e', 's', 'es'].map((ending) => `=${stem}${past}${ending}`)
    return [lemma, ...forms, ...pasts].join(' ')
  })

const VERBS = listed({
  read: [
    ...regular(
      'montrer afficher lister chercher trouver compter résumer expliquer comparer analyser vérifier consulter examiner télécharger regarder',
    ),
    'lire lis lisez lisons =lu =lus =lue =lues',
    'décrire décris décrivez décrivons',
    'traduire traduis traduisez traduisons',
    'dire dites',
  ],
  write: [
    ...regular(
      'créer modifier ajouter enregistrer sauvegarder copier renommer remplacer déplacer configurer insérer éditer corriger changer activer désactiver',
    ),
    'écrire écris écrivez écrivons =écrit =écrits =écrite =écrites',
    'mettre mets mettez mettons',
    'réécrire réécris réécrivez',
  ],
  send: [
    ...regular('expédier partager publier transférer diffuser exporter téléverser divulguer poster'),
    'envoyer envoie envoies envoyez envoyons =envoyé =envoyés =envoyée =envoyées',
    'transmettre transmets transmettez transmettons =transmis =transmise',
    'transférer transfère transfères',
  ],
  execute: [
    ...regular('exécuter lancer démarrer redémarrer arrêter installer tuer stopper'),
    'déployer déploie déployez déployons =déployé',
  ],
  pay: [
    ...regular('verser virer rembourser commander régler'),
    'payer paie paye paies payes payez payons =payé =payés =payée =payées',
    'acheter achète achètes achetez achetons =acheté',
    'régler règle règles',
  ],
  delete: [
    ...regular('supprimer effacer vider purger éliminer retirer écraser formater'),
    'détruire détruis détruisez détruisons =détruit =détruits =détruite =détruites',
    'enlever enlève enlèves enlevez enlevons =enlevé',
    'jeter jette jettes jetez jetons',
    'nettoyer nettoie nettoies nettoyez nettoyons =nettoyé',
  ],
})

const VOWEL = /^[aeiouyéèêàâîôûh]/

/** `l'envoyer`, `n'efface`: the elided word is one with the verb. Only `n'` says no, and only together with `pas`. */
function elided(verb: ForeignVerb): ForeignVerb {
  const after = verb.forms.filter((form) => VOWEL.test(form))
  const joined = ['l', 'd', 'm', 't', 's', 'n'].flatMap((letter) => after.map((form) => letter + form))
  return { ...verb, forms: [...verb.forms, ...joined] }
}

export const FRENCH: Language = {
  code: 'fr',
  verbs: VERBS.map(elided),
  separable: [],
  universal: words('tout toute tous toutes chaque entier entière intégralité'),
  negations: words('pas jamais rien aucun aucune'),
  between: words('ne le la les lui leur y en me te nous vous plus'),
  asking: [...words('que quoi quel quelle quels quelles qui comment pourquoi quand où combien'), 'quest ce', 'est ce'],
  passive: words('être doit doivent devrait devraient'),
  small: words(
    'le la les un une des de du à au aux ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs sil te vous plait plaît maintenant tout-de-suite et ou puis ensuite dans sur par pour avec sans en y moi toi lui nous ils elle il je tu on ne pas merci être doit doivent',
  ),
}

// Spanish. Regular verbs are made by rule, with the spelling that keeps their sound; verbs that change their stem are
// listed. Pronouns joined to the end of a verb are taken off where a word is looked up.
import { type Language, listed, words } from './language.ts'

const LAST: readonly (readonly [RegExp, string])[] = [
  [/g$/, 'gu'],
  [/c$/, 'qu'],
  [/z$/, 'c'],
]
const beforeE = (stem: string): string => {
  const rule = LAST.find(([last]) => last.test(stem))
  return rule ? stem.replace(rule[0], rule[1]) : stem
}

const participles = (stem: string): string[] => ['o', 'a', 'os', 'as'].map((ending) => `=${stem}d${ending}`)

/** Infinitive, orders to tú, usted, ustedes and vosotros, what `no` asks of tú, nosotros, gerund, participles. */
const regular = (list: string): string[] =>
  words(list).map((lemma) => {
    const stem = lemma.slice(0, -2)
    const soft = beforeE(stem)
    if (lemma.endsWith('ar'))
      return [
        ...[lemma, `${stem}a`, `${soft}e`, `${soft}en`, `${soft}es`, `${stem}ad`, `${soft}emos`, `${stem}ando`],
        ...participles(`${stem}a`),
      ].join(' ')
    const plural = `${stem}${lemma.endsWith('er') ? 'ed' : 'id'}`
    return [
      ...[lemma, `${stem}e`, `${stem}a`, `${stem}an`, `${stem}as`, plural, `${stem}amos`, `${stem}iendo`],
      ...participles(`${stem}i`),
    ].join(' ')
  })

export const SPANISH: Language = {
  code: 'es',
  verbs: listed({
    read: [
      ...regular(
        'listar buscar resumir explicar describir comparar analizar revisar verificar consultar descargar examinar enumerar',
      ),
      'leer lee lea lean leas leed leamos leyendo =leído =leída =leídos =leídas',
      'mostrar muestra muestre muestren muestres mostrad mostrando',
      'encontrar encuentra encuentre encuentren',
      'contar cuenta cuente cuenten',
      'comprobar comprueba compruebe comprueben',
      'traducir traduce traduzca traduzcan',
      'decir dime díganos dígame',
    ],
    write: [
      ...regular(
        'crear actualizar editar modificar cambiar añadir agregar insertar guardar copiar renombrar reemplazar configurar activar desactivar escribir sobrescribir',
      ),
      'mover mueve mueva muevan muevas moved',
    ],
    send: [
      ...regular('enviar mandar compartir publicar reenviar exportar difundir filtrar remitir subir'),
      'transmitir transmite transmita transmitan',
    ],
    execute: [
      ...regular('ejecutar lanzar arrancar instalar reiniciar iniciar apagar matar desplegar'),
      'detener detén detenga detengan detengas',
      'despliega despliegue',
    ],
    pay: [
      ...regular('pagar comprar donar reembolsar abonar depositar'),
      'transferir transfiere transfiera transfieran transfieras',
    ],
    delete: [
      ...regular('borrar eliminar suprimir quitar vaciar purgar formatear destrozar limpiar'),
      'destruir destruye destruya destruyan destruyas destruid =destruido =destruidos',
    ],
  }),
  separable: [],
  universal: words('todo toda todos todas cada entero entera completo completa'),
  negations: words('no nunca jamás nada ningún ninguna ninguno'),
  between: words('lo la los las le les me te se nos'),
  asking: [...words('qué cómo cuándo dónde quién cuál cuáles cuánto cuántos cuántas'), 'por qué'],
  passive: words('ser debe deben debería deberían'),
  small: words(
    'el la los las un una unos unas de del al a en con por para mi mis tu tus su sus nuestro nuestra favor y o luego después ahora ya esto eso este esta estos estas me te se nos lo le les que debe deben ser',
  ),
}

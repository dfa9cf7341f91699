import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chromiumUnavailable, launchChromium } from '#testing/chromium.ts'
import { chosenOptions, controlOf, isDisabled } from './fields.ts'
import { ownerOf } from './forms.ts'
import { readPage } from './job.ts'
import { isHtml, parsePage } from './parse.ts'

const URL_OF_PAGE = 'https://a.example/dir/page'
const E = 'https://e.example/'
/** What is clicked, and where it leads. */
const CLICKS: readonly (readonly [html: string, css: string, leads: string | null])[] = [
  // Whose a field is.
  [`<table><form action="${E}"><tr><td><button>Go</button></td></tr></form></table>`, 'button', E],
  [`<div><form action="${E}"></div><button>Go</button>`, 'button', E],
  [`<form action="${E}"><svg><form action="/no"><foreignObject><button>Go</button></svg></form>`, 'button', E],
  [`<form action="/no"><div></form><form action="${E}"></div><button>Go</button>`, 'button', E],
  [`<form action="${E}"><div></form><p><button>Go</button></div>`, 'button', E],
  [`<form action="${E}"><form action="/no"><button>Go</button></form>`, 'button', E],
  [`<form action="${E}" id=f></form><form id=f action="/no"></form><button form=f>Go</button>`, 'button', E],
  [`<svg><g id=f></g></svg><form action="${E}" id=f></form><button form=f>Go</button>`, 'button', null],
  [`<form action="${E}"><button form=none>Go</button></form>`, 'button', null],
  [`<form action="${E}"><button form="">Go</button></form>`, 'button', null],
  [`<b><form action="${E}"><p></b><button>Go</button>`, 'button', E],
  [`<table><form action="${E}"><tr><td><b><p></b><button>Go</button></table>`, 'button', E],
  [`<table><form action="${E}"><tr><td><b><p><button>Go</button></b></table>`, 'button', null],
  [`<table><form action="${E}"><button>Go</button></table>`, 'button', E],
  [`<form action="${E}"><table></form><tr><td><button>Go</button></table>`, 'button', E],
  [`<form action="${E}"><template><form action="/no"></template><button>Go</button>`, 'button', E],
  [`<form action="${E}"><math><mtext></form><button>Go</button>`, 'button', E],
  [`<select><form action="${E}"></select><button>Go</button>`, 'button', E],
  [`<select><base href="${E}"></select><a href=x>Go</a>`, 'a', `${E}x`],
  [
    `<template><form id=f action="/no"></form></template><form id=f action="${E}"></form><button form=f>Go</button>`,
    'button',
    E,
  ],
  // What sends it, and where.
  [`<form action="/no"><button type=foo formaction="${E}">Go</button></form>`, 'button', E],
  [`<form action="/no"><button type=" button" formaction="${E}">Go</button></form>`, 'button', E],
  [`<form action="/no"><button type=BUTTON formaction="${E}">Go</button></form>`, 'button', null],
  [`<form action="${E}"><input type=" submit"></form>`, 'input', null],
  [`<form action="${E}"><input type=SUBMIT></form>`, 'input', E],
  [
    `<form action="${E}"><button command=show-modal commandfor=d>Go</button><dialog id=d>x</dialog></form>`,
    'button',
    null,
  ],
  [`<form action="${E}"><button type=submit commandfor=d>Go</button></form>`, 'button', E],
  [`<form action="${E}"><button popovertarget=d>Go</button><i popover id=d>x</i></form>`, 'button', E],
  [`<form action="${E}"><svg><button></button></svg></form>`, 'button', null],
  [`<form action="${E}" method=dialog><button>Go</button></form>`, 'button', null],
  [`<form action="${E}" method=dialog><button formmethod="">Go</button></form>`, 'button', E],
  [`<form action="/no" method=dialog><button formmethod=foo formaction="${E}">Go</button></form>`, 'button', E],
  [`<base href="${E}"><form action=""><button>Go</button></form>`, 'button', URL_OF_PAGE],
  [`<base href="${E}"><form action=x><button formaction="">Go</button></form>`, 'button', URL_OF_PAGE],
  [`<form action=x><button>Go</button></form>`, 'button', 'https://a.example/dir/x'],
  [`<form action="${E}?a=1"><input name=n value=v><button name=b value=c>Go</button></form>`, 'button', `${E}?n=v&b=c`],
  [
    `<form action="${E}"><input name=a type=submit value=x><input type=checkbox name=c checked><input type=radio name=r>
    <select name=s><option>1<option selected>2<option selected value=three>3</select><input name=d disabled value=1>
    <select name=m multiple><option selected>4<option selected>5</select><input value=nameless><input type=reset name=z value=z><textarea name=t>x y</textarea><button>Go</button></form>`,
    'button',
    `${E}?c=on&s=three&m=4&m=5&t=x+y`,
  ],
  [
    `<form action="${E}"><select name=s><option disabled>1<optgroup disabled><option>2</optgroup><option>3</select><button>Go</button></form>`,
    'button',
    `${E}?s=3`,
  ],
  // Which base.
  [`<svg><base href="/no/"></base></svg><base href="${E}"><a href=x>Go</a>`, 'a', `${E}x`],
  [`<template><base href="/no/"></template><base href="${E}"><a href=x>Go</a>`, 'a', `${E}x`],
  [`<base href="data:,x"><base href="${E}"><a href=x>Go</a>`, 'a', 'https://a.example/dir/x'],
  [`<base target=_self><base href="${E}"><a href=x>Go</a>`, 'a', `${E}x`],
  // What is asked for first.
  [`<form action="${E}"><input required><button>Go</button></form>`, 'button', null],
  [`<form action="${E}"><input required><button formnovalidate>Go</button></form>`, 'button', E],
  [
    `<form action="${E}"><input type=hidden required><input type=range required><button>Go</button></form>`,
    'button',
    E,
  ],
  [
    `<form action="${E}"><input readonly required><textarea readonly required></textarea><button>Go</button></form>`,
    'button',
    E,
  ],
  [`<form action="${E}"><datalist><input required></datalist><button>Go</button></form>`, 'button', E],
  [
    `<form action="${E}"><input type=radio name=a required><input type=radio name=a checked><button>Go</button></form>`,
    'button',
    `${E}?a=on`,
  ],
  [
    `<form action="${E}"><input type=radio name=a required><input type=radio name=b checked><button>Go</button></form>`,
    'button',
    null,
  ],
  [`<form action="${E}"><input type=checkbox required><button>Go</button></form>`, 'button', null],
  [
    `<form action="${E}"><select required><option>1<option selected value="">2</select><button>Go</button></form>`,
    'button',
    E,
  ],
  [`<form action="${E}"><select required><option value="">2</select><button>Go</button></form>`, 'button', null],
  [
    `<form action="${E}"><select required size=3><option value="" selected>2</select><button>Go</button></form>`,
    'button',
    E,
  ],
  [
    `<form action="${E}"><select required multiple><option value="">2</select><button>Go</button></form>`,
    'button',
    null,
  ],
  // What is disabled.
  [`<fieldset disabled><a href="${E}">Go</a></fieldset>`, 'a', E],
  [`<a disabled href="${E}">Go</a>`, 'a', E],
  [`<form action="${E}"><fieldset disabled><button>Go</button></fieldset></form>`, 'button', null],
  [`<form action="${E}"><fieldset disabled><legend><button>Go</button></legend></fieldset></form>`, 'button', E],
  [
    `<form action="${E}"><fieldset disabled><legend>a</legend><legend><button>Go</button></legend></fieldset></form>`,
    'button',
    null,
  ],
  [
    `<form action="${E}"><fieldset disabled><p><legend><button>Go</button></legend></p></fieldset></form>`,
    'button',
    null,
  ],
  [
    `<fieldset><legend><fieldset disabled><form action="${E}"><button>Go</button></form></fieldset></legend></fieldset>`,
    'button',
    null,
  ],
  [`<a href="${E}"><button disabled>Go</button></a>`, 'button', null],
  // What a click sets off.
  [`<a href="${E}"><button type=button>Go</button></a>`, 'button', E],
  [`<form action="/x"><a href="${E}"><button>Go</button></a></form>`, 'button', 'https://a.example/x'],
  [`<form action="${E}"><a href="/no"><button>Go</button></a></form>`, 'button', E],
  [`<a href="${E}"><input type=checkbox></a>`, 'input', null],
  [`<a href="${E}"><input></a>`, 'input', E],
  [`<a href="${E}"><label>x <input type=checkbox></label></a>`, 'label', null],
  [`<a href="${E}"><label>x</label></a>`, 'label', E],
  [`<a href="${E}"><details><summary>s</summary>x</details></a>`, 'summary', null],
  [`<details><summary><a href="${E}">s</a></summary>x</details>`, 'a', E],
  [`<label><a href="${E}">s</a><input type=checkbox></label>`, 'a', E],
  [`<form action="${E}"><label><i>s</i><button>Go</button></label></form>`, 'i', E],
  [`<form action="${E}"><label for=b><i>s</i></label><button id=b>Go</button></form>`, 'i', E],
  [`<form action="${E}"><label for=b><i>s</i></label><button id=b disabled>Go</button></form>`, 'i', null],
  [`<form action="${E}"><label for=b><i>s</i></label><button><b id=b>Go</b></button></form>`, 'i', null],
  [`<form action="${E}"><label for=b><input></label><button id=b>Go</button></form>`, 'input', null],
  [`<form action="${E}"><label><i>s</i><input type=hidden><button>Go</button></label></form>`, 'i', E],
  [`<a href="${E}"><label>s <input></label></a>`, 'label', E],
  [`<a href="${E}"><label for=q>s</label></a><input id=q>`, 'label', null],
  [`<form action="${E}"><button><label for=q>s</label></button></form><input id=q>`, 'label', E],
  [`<form action="${E}"><button><label>s<input type=checkbox></label></button></form>`, 'label', E],
  [`<form action="${E}"><button><svg><a href="/no"><text>s</text></a></svg></button></form>`, 'text', E],
  [`<form action="/no"><button><a href="${E}">s</a></button></form>`, 'a', E],
  [`<svg><a href="${E}"><text>Go</text></a></svg>`, 'a', E],
  [`<svg><a xlink:href="${E}"><text>Go</text></a></svg>`, 'a', E],
  [`<svg><a href="${E}" xlink:href="/no"><text>Go</text></a></svg>`, 'a', E],
  [`<a href="${E}"><svg><a class=in><text>Go</text></a></svg></a>`, '.in', E],
  [`<a xlink:href="${E}">Go</a>`, 'a', null],
]

/** What is typed into `#i`, and where that leads. */
const TYPED: readonly (readonly [html: string, text: string, leads: string | null])[] = [
  [`<form action="/no"><input id=i name=q><button formaction="${E}">Go</button></form>`, 'hello\n', `${E}?q=hello`],
  [`<form action="${E}"><input id=i name=q></form>`, 'hello\n', `${E}?q=hello`],
  [`<form action="${E}"><input id=i><input></form>`, 'hello\n', null],
  [`<form action="${E}"><input id=i><input type=checkbox><input type=hidden><input type=file></form>`, 'hello\n', E],
  [`<form action="${E}"><input id=i><button disabled>x</button><button>y</button></form>`, 'hello\n', null],
  [`<form action="${E}"><input id=i><button type=button formaction="/no">x</button></form>`, 'hello\n', E],
  [
    `<button form=f formaction="${E}">x</button><form id=f action="/no"><input id=i><button>x</button></form>`,
    'a\n',
    E,
  ],
  [`<form action="/no"><input id=i><button style="display:none" formaction="${E}">x</button></form>`, 'a\n', E],
  [`<form action="/no"><input id=i><input type=image formaction="${E}" alt=x></form>`, 'a\n', `${E}?x=0&y=0`],
  [`<form action="${E}"><input id=i required><input required><button>x</button></form>`, 'a\nb', null],
  [`<table><form action="${E}"><tr><td><input id=i name=q></td></tr></form></table>`, 'a\n', `${E}?q=a`],
  [`<form action="${E}"><textarea id=i></textarea></form>`, 'a\n', null],
]

test('a click and Enter lead where they lead in a real browser', async (t) => {
  const reason = chromiumUnavailable()
  if (reason) return t.skip(reason)
  const browser = await launchChromium()
  t.after(() => browser.close())
  const page = await browser.newPage()
  let html = ''
  await page.route('**/*', (route) =>
    route.request().url() === URL_OF_PAGE ? route.fulfill({ contentType: 'text/html', body: html }) : route.abort(),
  )
  await page.addInitScript(() => {
    const [log, navigation] = [[] as string[], (globalThis as never as { navigation: EventTarget }).navigation]
    navigation.addEventListener('navigate', (event) => {
      log.push((event as never as { destination: { url: string } }).destination.url)
      event.preventDefault()
    })
    Object.assign(globalThis, { log })
  })
  const inBrowser = async (act: () => Promise<void>, leads: string | null) => {
    await page.goto(URL_OF_PAGE)
    await act()
    const log = () => page.evaluate(() => (globalThis as never as { log: string[] }).log)
    if (leads === null) await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
    else
      await page
        .waitForFunction(() => (globalThis as never as { log: string[] }).log.length > 0, null, { timeout: 5000 })
        .catch(() => null)
    return (await log()).at(-1)?.replace(/\?$/, '') ?? null
  }
  const inOrgan = (action: { do: 'click' | 'type'; css: string; value?: string }) => {
    const script = { url: URL_OF_PAGE, allow: ['https://e.example'], actions: [action], kinds: [null] }
    const report = readPage({ html, script })
    assert.ok(!('fault' in report))
    const [step] = report.ran!.steps
    assert.equal(step!.blocked, undefined)
    return step!.effect?.url ?? null
  }
  const differing: unknown[] = []
  for (const [markup, css, leads] of CLICKS) {
    html = `<!doctype html>${markup}`
    const clicked = await inBrowser(
      () =>
        page.evaluate((selector) => {
          const element = document.querySelector<HTMLElement>(selector)!
          // What is no HTML element has no such method.
          if ('click' in element) element.click()
          else (element as Element).dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
        }, css),
      leads,
    )
    const organResult = inOrgan({ do: 'click', css })
    if (clicked !== leads || organResult !== leads) differing.push({ markup, css, leads, clicked, organResult })
  }
  for (const [markup, text, leads] of TYPED) {
    html = `<!doctype html>${markup}`
    const typed = await inBrowser(async () => {
      await page.focus('#i')
      for (const key of text) await page.keyboard.press(key === '\n' ? 'Enter' : key)
    }, leads)
    const organResult = inOrgan({ do: 'type', css: '#i', value: text })
    if (typed !== leads || organResult !== leads) differing.push({ markup, text, leads, typed, organResult })
  }
  assert.deepEqual(differing, [])
})

const PIECES =
  '<form id=a>,<form id=b>,</form>,<table>,</table>,<tr>,<td>,</td>,<caption>,<div>,</div>,<p>,</p>,<b>,</b>,<a href=x>,</a>,<button>,</button>,<input>,<input type=hidden>,<input form=a>,<textarea>x</textarea>,<svg>,</svg>,<math>,</math>,<foreignObject>,<mtext>,<title>,</title>,<template>,</template>,<fieldset disabled>,</fieldset>,<legend>,</legend>,<label>,</label>,<label for=a>,<base>,<object>,</object>,<output>,<h1>,<li>,x,<body>,<frameset>,<annotation-xml encoding=text/html>,<marquee>,</marquee>,<details>,<summary>,<center>,<select>,</select>,<select>,</select>,<option>,<option selected>,<option disabled>,<optgroup>,<hr>'.split(
    ',',
  )

test('any markup gives the tree, the owners, labels and choices that a real browser makes of it', async (t) => {
  const reason = chromiumUnavailable()
  if (reason) return t.skip(reason)
  const browser = await launchChromium()
  t.after(() => browser.close())
  const page = await browser.newPage()
  const markup = fc.array(fc.constantFrom(...PIECES), { minLength: 3, maxLength: 25, size: 'max' })
  const pages = fc.sample(markup, { seed: 24, numRuns: 500 }).map((pieces) => `<!doctype html>${pieces.join('')}`)
  const theirs = await page.evaluate(
    (all) =>
      all.map((html) => {
        const frame = document.body.appendChild(document.createElement('iframe'))
        const inner = frame.contentDocument!
        inner.open()
        inner.write(html)
        inner.close()
        const elements = [...inner.querySelectorAll('*')]
        const at = (element: unknown) => elements.indexOf(element as Element)
        const rows = elements.map((element) => {
          const { form, control, selectedOptions = [] } = element as never as Record<string, Iterable<unknown>>
          const isField = /^(?:button|fieldset|input|object|output|select|textarea)$/.test(element.localName)
          return [
            `${element.namespaceURI} ${element.localName}`,
            ...[isField ? at(form) : -1, element.matches(':disabled'), at(control), ...[...selectedOptions].map(at)],
          ].join()
        })
        frame.remove()
        return rows
      }),
    pages,
  )
  for (const [n, html] of pages.entries()) {
    const parsed = parsePage(html)!
    const elements = [...parsed.document.querySelectorAll('*')]
    const at = (element: Element | null) => (element === null ? -1 : elements.indexOf(element))
    const ours = elements.map((element) => {
      const is = (names: RegExp) => isHtml(element) && names.test(element.localName)
      return [
        `${element.namespaceURI} ${element.localName}`,
        is(/^(?:button|fieldset|input|object|output|select|textarea)$/) ? at(ownerOf(element, parsed)) : -1,
        isDisabled(element),
        is(/^label$/) ? at(controlOf(element, parsed)) : -1,
        ...(is(/^select$/) ? chosenOptions(element).map(at) : []),
      ].join()
    })
    // The one element that goes by another name here.
    const named = theirs[n]!.map((row) => row.replace(/(svg|MathML) template/, '$1 desc'))
    assert.deepEqual(ours, named, html)
  }
})

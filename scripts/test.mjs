// npm test: sets up what is missing and runs every check there is, the browser's included.
import { existsSync } from 'node:fs';
import { inBrowser, inNode, readings } from './checks.mjs';
import { ensureBuilt, ensureInstalled, fail, folderInMemory, run, runRows, say } from './set-up.mjs';

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';

ensureInstalled();
ensureChromium();
ensureBuilt();
await runRows(readings);
// What waits for candles, comparisons and screens fills the waiting of what races and calculates.
await runRows([inNode(folderInMemory()), inBrowser]);
say('\nEverything passed.');

/** Installs Debian's Chromium where that is possible, else says what to install. */
function ensureChromium() {
  if (existsSync(chromium)) return;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync('/usr/bin/apt-get')) {
    fail('The browser tests need Chromium. Install it (on Debian: apt-get install chromium), or set CHROMIUM to its path.');
  }
  say('Installing Chromium from Debian ...');
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update', '-qq'], environment);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'chromium-headless-shell'], environment);
}

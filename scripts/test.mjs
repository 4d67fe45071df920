// npm test: sets up what is missing and runs every check there is, the browser's included.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { inBrowser, inNode, readings } from './checks.mjs';
import { ensureBuilt, ensureInstalled, fail, folderInMemory, runRows, say } from './set-up.mjs';

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
const packages = '/usr/bin/apt-get';

ensureInstalled();
ensureChromium();
ensureBuilt();
await runRows(readings);
// What waits for candles, comparisons and screens fills the waiting of what races and calculates.
await runRows([inNode(folderInMemory()), inBrowser]);
say('\nEverything passed.');

/**
 * Installs Debian's Chromium where that is possible, else says what to install. Beside it the same engine without windows, which opens
 * a page with three quarters of the processor time; the tests pass without that one, too.
 */
function ensureChromium() {
  const isComplete = process.env.CHROMIUM !== undefined || existsSync('/usr/bin/chromium-headless-shell');
  if (existsSync(chromium) && isComplete) return;
  const canInstall = process.getuid?.() === 0 && existsSync(packages);
  if (!existsSync(chromium) && !canInstall) {
    fail('The browser tests need Chromium. Install it (on Debian: apt-get install chromium), or set CHROMIUM to its path.');
  }
  if (!canInstall) return;
  say('Installing Chromium from Debian ...');
  const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  // Another that installs on a machine which was just started is waited for; the list of packages it fetches will do for us, too.
  const install = [
    '-o',
    'DPkg::Lock::Timeout=300',
    'install',
    '-y',
    '-qq',
    '--no-install-recommends',
    'chromium',
    'chromium-headless-shell',
  ];
  spawnSync(packages, ['update', '-qq'], options);
  const isInstalled = spawnSync(packages, install, options).status === 0;
  if (!isInstalled && !existsSync(chromium)) fail('Chromium could not be installed.');
}

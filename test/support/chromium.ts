import { existsSync } from 'node:fs';

/** Features of Chromium that no test uses. The first two begin two processes for the address bar of every window that is opened. */
const unused = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/** What Playwright 1.65 switches off; said again here because Chromium heeds only the last list. */
const unusedByPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** How the tests start a browser: Debian's Chromium, or the one at the path CHROMIUM. */
export const chromium = {
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${[...unusedByPlaywright, ...unused].join(',')}`,
  ],
};

const headlessShell = '/usr/bin/chromium-headless-shell';

/**
 * The same engine without windows, profiles and what belongs to them (notifications, for instance), which opens a page with three quarters of the
 * processor time: Debian's package chromium-headless-shell, where that is installed and CHROMIUM names no other browser.
 */
export const chromiumWithoutWindows =
  process.env['CHROMIUM'] === undefined && existsSync(headlessShell) ? { ...chromium, executablePath: headlessShell } : chromium;

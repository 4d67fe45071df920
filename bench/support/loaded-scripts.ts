import type { Page } from '@playwright/test';
import { statSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../dist/web');

/** All scripts that a page has loaded so far: how many, and their bytes as they were sent and as they are stored compressed with gzip. */
export async function loadedScripts(page: Page): Promise<{ files: number; sent: number; gzip: number }> {
  const scripts = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.js'))
      .map((entry) => ({ name: new URL(entry.name).pathname, sent: (entry as PerformanceResourceTiming).encodedBodySize })),
  );
  return {
    files: scripts.length,
    sent: scripts.reduce((sum, { sent }) => sum + sent, 0),
    gzip: scripts.reduce((sum, { name }) => sum + statSync(join(folder, `${name}.gz`)).size, 0),
  };
}

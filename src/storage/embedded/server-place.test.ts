import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { embeddedData, placeOutside, serverPlace } from './server-place.ts';
import { serverUser } from './server-user.ts';

test.skipIf(process.getuid?.() !== 0)(
  'data of root that is not in its home stays where it is, also when the home can be entered by now',
  () => {
    const home = mkdtempSync(join(tmpdir(), 'flotilla-place-')); // 0700
    const outside = join('/var/lib/flotilla', createHash('sha256').update(home).digest('hex').slice(0, 12));
    onTestFinished(() => [home, outside].forEach((folder) => rmSync(folder, { recursive: true, force: true })));
    expect(serverPlace(home, serverUser())).toBe(outside);
    expect([embeddedData(home), placeOutside(home)]).toEqual([null, null]); // no data yet
    mkdirSync(join(outside, 'data'));
    chmodSync(home, 0o755);
    expect(serverPlace(home, serverUser())).toBe(outside);
    expect([embeddedData(home), placeOutside(home)]).toEqual([join(outside, 'data'), outside]);
  },
);

import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/support/test-server.ts';
import { freeDiskBytes, lowDiskBytes } from './free-disk.ts';

let room = 0;
const server = await startTestServer({ freeDiskBytes: async () => room });

test('the room is that of the fullest disk, as the system reports it', async () => {
  const { bavail, bsize } = statfsSync(tmpdir());
  const found = await freeDiskBytes([tmpdir(), '/nowhere/at/all']);
  expect(Math.abs(found - bavail * bsize)).toBeLessThan(1e9); // others write there meanwhile
  expect(await freeDiskBytes([tmpdir(), '/proc'])).toBe(0); // a file system without room
});

test('OP-77 the state of the platform is degraded while the disk is nearly full, and admins see why', async () => {
  const admin = await server.signedIn('admin');
  room = lowDiskBytes - 1;
  expect(await admin.systemStatus({})).toMatchObject({ status: 'degraded', disk: 'error', database: 'ok' });
  room = lowDiskBytes;
  await expect.poll(async () => (await admin.systemStatus({})).disk).toBe('ok');
  expect(await server.browser().systemStatus({})).not.toHaveProperty('disk');
});

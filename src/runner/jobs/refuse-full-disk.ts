import { NoRoomForCandles } from '#storage/candles/no-room-for-candles.ts';

/** The disk that downloaded candles fill. */
export interface CandleDisk {
  freeBytes: () => Promise<number>;
  makeRoom: () => Promise<void>; // deletes what is only there to save time
}

/**
 * With less room than this no candles are downloaded. The platform is degraded at 300 MB, and a database on a full disk takes no trades:
 * downloads must not fill it. The room in between is for live bots, and for the pieces that were under way when the free bytes were counted: a few
 * megabytes each with their write-ahead log, and few at a time.
 */
export const candleReserveBytes = 1_000_000_000;

/** Sees to it that there is room for more candles. Fails: `NoRoomForCandles`, with what is free as its cause */
export async function refuseFullDisk(disk: CandleDisk): Promise<void> {
  if ((await disk.freeBytes()) >= candleReserveBytes) return;
  await disk.makeRoom();
  const free = await disk.freeBytes();
  if (free >= candleReserveBytes) return;
  const [left, reserve] = [free, candleReserveBytes].map((bytes) => `${Math.floor(bytes / 1e6).toLocaleString('en')} MB`);
  throw new NoRoomForCandles(`${left} are free on the disk; with less than ${reserve} no candles are downloaded.`);
}

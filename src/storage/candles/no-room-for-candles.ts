/** The error of a run that was refused its candles; what is free is in the log. */
export const noRoomForCandles = 'There is not enough free disk space on the server for these candles. Ask its administrator.';

/** The disk is too full for more candles: none are downloaded, since the database needs what is left. The message is for whoever wants them. */
export class NoRoomForCandles extends Error {
  constructor(cause: string) {
    super(noRoomForCandles, { cause });
  }
}

/**
 * How long the sandbox keeps a connection that nobody uses, in ms: as long as nginx does by default. The five seconds of Node are over on a busy
 * machine while the next call is under way, which is lost then.
 */
export const keepAliveTimeout = 75_000;

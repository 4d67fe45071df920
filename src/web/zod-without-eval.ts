import { z } from 'zod';

// Imported before everything that makes a schema: zod compiles its checks with eval, which the content policy forbids.
z.config({ jitless: true });

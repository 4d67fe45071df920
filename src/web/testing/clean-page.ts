import { beforeEach } from 'vitest';
import { cleanup } from 'vitest-browser-react';

// Test files follow each other in one page, so that it loads the libraries once: what one has drawn is gone before the next.
beforeEach(() => cleanup());

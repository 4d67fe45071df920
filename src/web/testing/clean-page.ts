import { beforeEach } from 'vitest';
import { cleanup } from 'vitest-browser-react';
import { loadCalls } from '../api/api.ts';
import { renewalUnderWay } from '../api/refresh.ts';

// Test files follow each other in one page, so that it loads the libraries once: what one has drawn is gone before the next, and what
// it has asked for again and again is answered, or its last question would come to the next one's network.
beforeEach(async () => {
  await cleanup();
  await renewalUnderWay();
  await loadCalls(); // an answer that a test holds back is asked for at once
});

// What turns and pulses is drawn sixty times a second: a fifth of what all these tests cost.
const still = document.createElement('style');
still.textContent = '*, *::before, *::after { animation: none !important; transition: none !important; }';
document.head.append(still);

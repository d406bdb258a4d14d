// Exported GLB files in other hands: the Khronos validator finds nothing to say, and three.js in a browser
// puts every link where our own kinematics has it. gltf_test (C) writes the files and what to expect.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import validator from 'gltf-validator';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
const files = join(process.env.HF_BUILD ?? join(here, '../../build'), 'test-files');
const names = (await readdir(files).catch(() => []))
  .filter((n) => n.startsWith('gltf-') && n.endsWith('.glb')).map((n) => n.slice(0, -4));
assert.ok(names.length >= 3, `no exported files in ${files}: run the C tests first`);

for (const name of names) {
  const bytes = new Uint8Array(await readFile(join(files, `${name}.glb`)));
  const { issues, info } = await validator.validateBytes(bytes, { maxIssues: 20 });
  const told = JSON.stringify(issues.messages, null, 1);
  assert.equal(issues.numErrors + issues.numWarnings, 0, `${name}: ${told}`);
  assert.equal(issues.numInfos + issues.numHints, 0, `${name}: ${told}`);
  assert.ok(info.totalVertexCount > 0 && info.hasSkins, `${name}: nothing to see`);
}

// A page of our own, served from this machine alone.
const types = { '.js': 'text/javascript', '.html': 'text/html', '.glb': 'model/gltf-binary', '.json': 'application/json' };
const page_text = `<!doctype html><script type="importmap">{ "imports": {
  "three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/" } }</script>
<script type="module">import * as THREE from 'three'; import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
window.THREE = THREE; window.load = (url) => new GLTFLoader().loadAsync(url); window.ready = true;</script>`;
const server = createServer(async (request, response) => {
  const path = normalize(new URL(request.url, 'http://x').pathname);
  const folder = path.startsWith('/three/') ? join(here, 'node_modules') : files;
  const body = path === '/' ? page_text : await readFile(join(folder, path)).catch(() => null);
  response.writeHead(body === null ? 404 : 200, { 'content-type': types[path.slice(path.lastIndexOf('.'))] ?? 'text/html' });
  response.end(body ?? '');
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const address = `http://127.0.0.1:${server.address().port}/`;

// Runs in the page: world positions of all named nodes at the given times, and the reach of the skin.
async function measure({ url, times }) {
  const gltf = await window.load(url);
  const { THREE } = window;
  const mixer = new THREE.AnimationMixer(gltf.scene);
  for (const clip of gltf.animations) {
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
  }
  const samples = times.map((time) => {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const places = {};
    gltf.scene.traverse((node) => {
      places[node.userData.name ?? node.name] = node.getWorldPosition(new THREE.Vector3()).toArray();
    });
    // The farthest any skinned vertex is from its own bone: skin and bones move together.
    let farthest = 0;
    const v = new THREE.Vector3(), b = new THREE.Vector3();
    gltf.scene.traverse((mesh) => {
      if (!mesh.isSkinnedMesh) return;
      mesh.skeleton.update();
      const joints = mesh.geometry.attributes.skinIndex;
      for (let i = 0; i < joints.count; i++) {
        mesh.getVertexPosition(i, v).applyMatrix4(mesh.matrixWorld);
        b.setFromMatrixPosition(mesh.skeleton.bones[joints.getX(i)].matrixWorld);
        farthest = Math.max(farthest, v.distanceTo(b));
      }
    });
    return { places, farthest };
  });
  return { samples, clips: gltf.animations.length };
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true,
  args: ['--no-sandbox', '--headless', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
let compared = 0;
try {
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(error.message));
  await page.goto(address);
  await page.waitForFunction(() => window.ready);
  for (const name of names) {
    const expected = JSON.parse(await readFile(join(files, `${name}.expected.json`), 'utf8'));
    const got = await page.evaluate(measure, { url: `/${name}.glb`, times: expected.samples.map((s) => s.time) });
    assert.equal(got.clips, name === 'gltf-pose' ? 0 : 1);
    for (const [i, sample] of expected.samples.entries()) {
      for (const [link, p] of Object.entries(sample.links)) {
        const q = got.samples[i].places[link];
        assert.ok(q, `${name}: three.js has no node "${link}"`);
        const distance = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
        assert.ok(distance < 1e-4, `${name}: "${link}" is ${distance} m off at ${sample.time} s`);
        compared++;
      }
      assert.ok(got.samples[i].farthest < 1, `${name}: the skin leaves its bones by ${got.samples[i].farthest} m`);
    }
  }
} finally {
  await browser.close();
  server.close();
}
assert.ok(compared > 100);
console.log(`${names.length} files valid, ${compared} places compared`);

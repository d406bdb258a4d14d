// The published JSON Schemas: every shipped file fits its schema, and wrong files do not.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import Ajv2020 from "ajv/dist/2020.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const schemas = join(root, "data/schema");
let checks = 0;
let failures = 0;

function check(good, what) {
  checks++;
  if (good) return;
  failures++;
  console.error(`failed: ${what}`);
}

// strictRequired and strictTypes off: keys of a kind are required in a branch that does not repeat their type.
const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, strictTypes: false, strictTuples: false });
const validators = new Map();
for (const file of readdirSync(schemas).filter((name) => name.endsWith(".schema.json"))) {
  const schema = JSON.parse(readFileSync(join(schemas, file), "utf8"));
  check(ajv.validateSchema(schema), `${file} is a valid schema: ${ajv.errorsText()}`);
  validators.set(file.replace(".schema.json", ""), ajv.compile(schema));
}

function fits(kind, value) {
  const validate = validators.get(kind);
  return validate(value) ? "" : ajv.errorsText(validate.errors.slice(0, 3));
}

// Shipped files: x.KIND.json goes with KIND.schema.json.
for (const entry of readdirSync(join(root, "data"), { recursive: true }).map(String)) {
  const kind = /\.([a-z]+)\.json$/.exec(entry)?.[1];
  if (!kind || kind === "schema") continue;
  check(validators.has(kind), `data/${entry} has a schema`);
  if (!validators.has(kind)) continue;
  const problem = fits(kind, JSON.parse(readFileSync(join(root, "data", entry), "utf8")));
  check(!problem, `data/${entry}: ${problem}`);
}

// Scenarios: each kind at its fullest, then one change at a time that must be refused.
const pose7 = [0, 0, 0.9, 1, 0, 0, 0];
const common = {
  format: "holdfast-scenario",
  version: 1,
  creature: "../creatures/human.creature.json",
  scene: [
    {
      name: "room", mesh: "../scenes/room.obj", up: "y", scale: 1.0, position: [0, 0, 0], rotation: [1, 0, 0, 0],
      friction: 0.5, contact: true, movable: false, grip: false, keys: [[0.0, pose7], [1, pose7]],
    },
  ],
  start: {
    root: pose7,
    joints: { r_knee: 0.8, free: pose7, flat: [0, 0, 0] },
    contacts: ["right_leg", { limb: "seat", point: [0, 0, 0.4], normal: [0, 0, 1], object: "sofa" }],
  },
  seed: 1,
  options: { samples: 10000, epsilon: 0.02, score: { effort: 1 } },
};
const task = { direction: [0, 0, 1], limbs: [{ limb: "left_arm", role: "support", direction: [0, 1, 0] }] };
const good = {
  pose: { ...common, kind: "pose", targets: [{ limb: "left_arm", point: [0, 0, 1], normal: [0, 0, 1], contact: "palm" }] },
  contact: { ...common, kind: "contact", task },
  tasks: { ...common, kind: "contact", tasks: [{ name: "up", ...task }], path: [pose7, pose7] },
  path: { ...common, kind: "contact", path: [pose7, pose7] },
  plan: { ...common, kind: "plan", goal: { root: pose7, joints: {}, contacts: [] } },
  adapt: { ...common, kind: "adapt" },
  reach: { ...common, kind: "reach" },
  urdf: { ...common, kind: "reach", scene: [{ name: "door", urdf: "door.urdf", position: [1, 0, 0], grasps: [{ position: [0, 0, 0] }] }] },
  least: { format: "holdfast-scenario", version: 1, kind: "reach", creature: "a.urdf" },
};
for (const [name, value] of Object.entries(good)) check(!fits("scenario", value), `${name}: ${fits("scenario", value)}`);

const bad = [
  ["pose", (s) => delete s.targets],
  ["pose", (s) => (s.targets = [])],
  ["pose", (s) => (s.goal = { root: pose7 })],
  ["pose", (s) => (s.targets[0].rotation = [1, 0, 0, 0])],
  ["pose", (s) => delete s.targets[0].point],
  ["pose", (s) => (s.kind = "stand")],
  ["pose", (s) => (s.version = 2)],
  ["pose", (s) => (s.colour = 1)],
  ["pose", (s) => delete s.creature],
  ["pose", (s) => (s.scene[0].scale = 0)],
  ["pose", (s) => (s.scene[0].scale = [1, 1, 1])],
  ["pose", (s) => (s.scene[0].up = "x")],
  ["pose", (s) => (s.scene[0].fricton = 1)],
  ["pose", (s) => (s.scene[0].keys = [[0]])],
  ["pose", (s) => (s.start.root = [0, 0, 0])],
  ["pose", (s) => (s.start.joints.free = [1, 2])],
  ["pose", (s) => delete s.start.contacts[1].normal],
  ["pose", (s) => (s.seed = -1)],
  ["pose", (s) => (s.options.samples = 0)],
  ["pose", (s) => (s.options.score = { efort: 1 })],
  ["contact", (s) => delete s.task],
  ["contact", (s) => (s.tasks = [{ name: "up", ...task }])],
  ["contact", (s) => (s.task.limbs[0].role = "push")],
  ["contact", (s) => (s.targets = [])],
  ["tasks", (s) => (s.tasks[0].name = "a/b")],
  ["tasks", (s) => delete s.tasks[0].name],
  ["path", (s) => s.path.pop()],
  ["plan", (s) => delete s.goal.root],
  ["adapt", (s) => (s.path = [pose7, pose7])],
];
for (const [name, change] of bad) {
  const value = structuredClone(good[name]);
  change(value);
  check(fits("scenario", value), `${name} is refused after ${change}`);
}

// Motions likewise.
const motion = {
  format: "holdfast-motion",
  version: 1,
  creature: "c.urdf",
  scenario: "s.scenario.json",
  outcome: "found",
  claims: ["limits", "one-limb"],
  joints: ["a"],
  limbs: ["leg"],
  contact_frames: { leg: [{ name: "sole", link: "foot", offset: [0, 0, 0], normal: [0, 0, -1], patch: [0.1, 0.2] }] },
  frames: [
    {
      t: 0, root: pose7, q: [0.1], balance: 0.1, stance: true, objects: { can: pose7 },
      contacts: [{ limb: "leg", frame: "sole", point: [0, 0, 0], normal: [0, 0, 1], object: "room", grip: false }],
    },
  ],
  stats: { time_s: 1 },
};
check(!fits("motion", motion), `motion: ${fits("motion", motion)}`);
const badMotions = [
  (m) => delete m.joints,
  (m) => (m.frames = []),
  (m) => delete m.frames[0].q,
  (m) => (m.frames[0].root = [0, 0, 0]),
  (m) => (m.frames[0].speed = 1),
  (m) => (m.frames[0].contacts[0].normal = [0, 0, 2]),
  (m) => (m.claims = ["everything"]),
  (m) => (m.outcome = "good"),
  (m) => (m.joints = ["a", "a"]),
  (m) => (m.stats.time_s = "1"),
  (m) => (m.note = "hello"),
];
for (const change of badMotions) {
  const value = structuredClone(motion);
  change(value);
  check(fits("motion", value), `the motion is refused after ${change}`);
}

// Schedules likewise; a plan's own, where the command is built.
const schedule = {
  format: "holdfast-schedule",
  version: 1,
  creature: "c.urdf",
  scenario: "s.scenario.json",
  outcome: "partial",
  claims: ["limits", "balance"],
  rate: 60,
  holds: [{ limb: "leg", frame: "sole", object: "room", point: [0, 0, 0], normal: [0, 0, 1], grip: false, from: 0, to: 1.9 }],
  knots: [{ t: 0, root: pose7, q: [0.1], stance: true }, { t: 2, root: pose7, q: [0.2] }],
};
check(!fits("schedule", schedule), `schedule: ${fits("schedule", schedule)}`);
const badSchedules = [
  (s) => delete s.holds,
  (s) => (s.knots = []),
  (s) => delete s.knots[0].q,
  (s) => (s.knots[0].root = [0, 0, 0]),
  (s) => (s.knots[0].time = 1),
  (s) => delete s.holds[0].to,
  (s) => (s.holds[0].from = -1),
  (s) => (s.holds[0].normal = [0, 0, 2]),
  (s) => (s.holds[0].limb = ""),
  (s) => (s.claims = ["everything"]),
  (s) => (s.outcome = "good"),
  (s) => (s.rate = 0),
  (s) => (s.format = "holdfast-motion"),
];
for (const change of badSchedules) {
  const value = structuredClone(schedule);
  change(value);
  check(fits("schedule", value), `the schedule is refused after ${change}`);
}
const command = join(root, "build/holdfast");
if (existsSync(command)) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-schema-"));
  execFileSync(command, ["plan", "stand-up-front", "-o", folder, "--size", "64x64", "--samples", "1", "--quiet"]);
  for (const kind of ["schedule", "motion"]) {
    const problem = fits(kind, JSON.parse(readFileSync(join(folder, `stand-up-front.${kind}.json`), "utf8")));
    check(!problem, `the ${kind} of a plan: ${problem}`);
  }
  rmSync(folder, { recursive: true });
}

// Creatures at their fullest, and regions of both kinds.
const creature = {
  format: "holdfast-creature", version: 1, name: "human", urdf: "human.urdf", srdf: "human.srdf", trunk: ["pelvis"],
  limbs: [
    {
      name: "right_arm", root: "r_clavicle", effector: "r_hand", grip: true, max_force: 600, mirror_of: "left_arm",
      contact: [{ name: "palm", offset: [0, 0, -0.02], normal: [0, 0, -1], patch: [0.08, 0.16] }], excludes: ["right_elbow"],
    },
    { name: "foot", effector: "r_foot", contact: { offset: [0, 0, 0], normal: [0, 0, -1], ball: 0.03 } },
    { name: "left_arm" },
  ],
  rest: { r_elbow: 0.2, free: [0, 0, 0, 1, 0, 0, 0] },
  rom: [{ joints: ["a", "b"], region: "shoulder.rom.json" }],
  limits: { root_speed: 1.5, root_turn: 2, root_acceleration: 3, joint_speed: 6, joint_acceleration: 30 },
  gait: [["left_leg"], ["right_leg"]],
  guide: { upright: ["left_leg"], bent: [], tilt: 0.6, tilt_max: 1.2, any: 1, trunk_scale: 1.2 },
};
const pieces = { joints: ["a", "b"], pieces: [{ A: [[1, 0], [0, 1]], b: [1, 1] }] };
const swing = { swing_polygon: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], twist: [-1, 1] };
const sound = { creature: [creature, { format: "holdfast-creature", version: 1, urdf: "a.urdf" }], rom: [pieces, swing] };
for (const [kind, values] of Object.entries(sound))
  for (const value of values) check(!fits(kind, value), `${kind}: ${fits(kind, value)}`);
const unsound = [
  ["creature", creature, (c) => delete c.urdf],
  ["creature", creature, (c) => (c.limb = [])],
  ["creature", creature, (c) => delete c.limbs[0].name],
  ["creature", creature, (c) => delete c.limbs[0].effector],
  ["creature", creature, (c) => (c.limbs[0].contact[0].ball = 0.1)],
  ["creature", creature, (c) => (c.limbs[0].contact[0].patch = [0.1])],
  ["creature", creature, (c) => (c.limbs[0].max_force = 0)],
  ["creature", creature, (c) => (c.rest.r_elbow = "bent")],
  ["creature", creature, (c) => (c.rest.r_elbow = [1, 2])],
  ["creature", creature, (c) => delete c.rom[0].region],
  ["creature", creature, (c) => (c.limits.root_speed = 0)],
  ["creature", creature, (c) => (c.gait = ["left_leg"])],
  ["creature", creature, (c) => (c.guide.any = 1.5)],
  ["rom", pieces, (r) => (r.pieces = [])],
  ["rom", pieces, (r) => delete r.pieces[0].b],
  ["rom", pieces, (r) => (r.twist = [0, 1])],
  ["rom", swing, (r) => delete r.twist],
  ["rom", swing, (r) => r.swing_polygon.pop()],
];
for (const [kind, from, change] of unsound) {
  const value = structuredClone(from);
  change(value);
  check(fits(kind, value), `the ${kind} is refused after ${change}`);
}

console.log(`${relative(process.cwd(), fileURLToPath(import.meta.url))}: ${checks - failures} of ${checks} checks hold`);
process.exit(failures ? 1 : 0);

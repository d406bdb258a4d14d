/* Holdfast: contact motion in scenes nobody prepared. The whole public interface. */
#ifndef HOLDFAST_H
#define HOLDFAST_H

#include <holdfast/base.h>
#include <holdfast/math.h>
#include <holdfast/mesh.h>
#include <holdfast/creature.h>
#include <holdfast/kinematics.h>
#include <holdfast/rom.h>
#include <holdfast/reach.h>
#include <holdfast/scene.h>
#include <holdfast/hold.h>
#include <holdfast/collision.h>
#include <holdfast/task.h>
#include <holdfast/samples.h>
#include <holdfast/solve.h>
#include <holdfast/posture.h>
#include <holdfast/stand.h>
#include <holdfast/contact.h>
#include <holdfast/balance.h>
#include <holdfast/outlook.h>
#include <holdfast/guide.h>
#include <holdfast/timing.h>
#include <holdfast/swing.h>
#include <holdfast/course.h>
#include <holdfast/sequence.h>
#include <holdfast/motion.h>
#include <holdfast/schedule.h>
#include <holdfast/refine.h>
#include <holdfast/agent.h>
#include <holdfast/clip.h>
#include <holdfast/edit.h>
#include <holdfast/scenario.h>
#include <holdfast/retarget.h>
#include <holdfast/plan.h>
#include <holdfast/control.h>
#include <holdfast/reaching.h>
#include <holdfast/adapt.h>
#include <holdfast/trajectory.h>
#include <holdfast/check.h>
#include <holdfast/render.h>

#endif

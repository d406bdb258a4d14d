// OMPL's RRTConnect and PRM as peers of ways by a reaching roadmap. States keep the points of the metric, so
// that a distance costs OMPL no more than it costs us.
#include "peer_reach.h"

#include <cmath>
#include <ctime>
#include <cstring>
#include <mutex>
#include <ompl/base/MotionValidator.h>
#include <ompl/base/ProblemDefinition.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/PathSimplifier.h>
#include <ompl/geometric/planners/prm/PRM.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

enum { WIDTH = PEER_REACH_CONTROLS, NUMBERS = 3 * PEER_REACH_POINTS, PIECES = 20, EXTENT_DRAWS = 100 };

double work_s() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

class Space;

class Sampler : public ob::StateSampler {
  public:
    explicit Sampler(const ob::StateSpace* space) : StateSampler(space) {}
    void sampleUniform(ob::State* state) override;
    void sampleUniformNear(ob::State* state, const ob::State* near, double distance) override;
    void sampleGaussian(ob::State* state, const ob::State* mean, double deviation) override {
        sampleUniformNear(state, mean, deviation);
    }
};

class Space : public ob::RealVectorStateSpace {
  public:
    struct StateType : public ob::RealVectorStateSpace::StateType {
        double points[NUMBERS];
        bool known = false;
    };

    explicit Space(const peer_reach_space& s) : RealVectorStateSpace(WIDTH), caller(s) {
        ob::RealVectorBounds bounds(WIDTH);
        for (unsigned k = 0; k < WIDTH; k++) {
            // a control that does not exist is 0; OMPL wants a range all the same
            bounds.setLow(k, s.low[k]);
            bounds.setHigh(k, s.high[k] > s.low[k] ? s.high[k] : s.low[k] + 1e-6);
        }
        setBounds(bounds);
    }
    ob::State* allocState() const override {
        auto* s = new StateType;
        s->values = new double[WIDTH];
        return s;
    }
    void freeState(ob::State* state) const override {
        auto* s = static_cast<StateType*>(state);
        delete[] s->values;
        delete s;
    }
    void copyState(ob::State* to, const ob::State* from) const override {
        auto* a = static_cast<StateType*>(to);
        const auto* b = static_cast<const StateType*>(from);
        std::memcpy(a->values, b->values, sizeof(double) * WIDTH);
        std::memcpy(a->points, b->points, sizeof a->points);
        a->known = b->known;
    }
    void interpolate(const ob::State* from, const ob::State* to, double t, ob::State* state) const override {
        RealVectorStateSpace::interpolate(from, to, t, state);
        static_cast<StateType*>(state)->known = false;
    }
    const double* points(const ob::State* state) const {
        auto* s = const_cast<StateType*>(static_cast<const StateType*>(state));
        if (!s->known) {
            std::lock_guard<std::recursive_mutex> lock(mutex);
            caller.points(caller.user, s->values, s->points);
            s->known = true;
        }
        return s->points;
    }
    double distance(const ob::State* a, const ob::State* b) const override {
        const double *p = points(a), *q = points(b);
        double sum = 0;
        for (int i = 0; i < NUMBERS; i += 3)
            sum += std::sqrt((p[i] - q[i]) * (p[i] - q[i]) + (p[i + 1] - q[i + 1]) * (p[i + 1] - q[i + 1]) +
                             (p[i + 2] - q[i + 2]) * (p[i + 2] - q[i + 2]));
        return sum / PEER_REACH_POINTS;
    }
    double getMaximumExtent() const override { return extent; }
    ob::StateSamplerPtr allocDefaultStateSampler() const override { return std::make_shared<Sampler>(this); }
    void draw(ob::State* state) const {
        std::lock_guard<std::recursive_mutex> lock(mutex);
        auto* s = static_cast<StateType*>(state);
        caller.draw(caller.user, s->values);
        s->known = false;
    }
    // The largest distance among drawn postures: OMPL's planners take their step from it.
    void measure() {
        ob::State *a = allocState(), *b = allocState();
        for (int i = 0; i < EXTENT_DRAWS; i++) {
            draw(a);
            draw(b);
            extent = std::max(extent, distance(a, b));
        }
        freeState(a);
        freeState(b);
    }
    double fineLength(const double* from, const double* to) const {
        auto *a = static_cast<StateType*>(allocState()), *b = static_cast<StateType*>(allocState());
        double length = 0;
        std::memcpy(a->values, from, sizeof(double) * WIDTH);
        a->known = false;
        for (int i = 1; i <= PIECES; i++) {
            for (int k = 0; k < WIDTH; k++) b->values[k] = from[k] + (to[k] - from[k]) * i / PIECES;
            b->known = false;
            length += distance(a, b);
            std::swap(a, b);
        }
        freeState(a);
        freeState(b);
        return length;
    }

    peer_reach_space caller;
    mutable std::recursive_mutex mutex; // PRM looks for its path in a second thread

  private:
    double extent = 1e-3;
};

void Sampler::sampleUniform(ob::State* state) { static_cast<const Space*>(space_)->draw(state); }

void Sampler::sampleUniformNear(ob::State* state, const ob::State* near, double distance) {
    const auto* space = static_cast<const Space*>(space_);
    ob::State* far = space->allocState();
    space->draw(far);
    double d = space->distance(near, far);
    space->interpolate(near, far, d > distance ? rng_.uniform01() * distance / d : 1, state);
    space->freeState(far);
}

const double* values(const ob::State* s) { return s->as<ob::RealVectorStateSpace::StateType>()->values; }

class Moves : public ob::MotionValidator {
  public:
    Moves(const ob::SpaceInformationPtr& information, const Space* s)
        : MotionValidator(information), space(s) {}
    bool checkMotion(const ob::State* a, const ob::State* b) const override {
        std::lock_guard<std::recursive_mutex> lock(space->mutex);
        const peer_reach_space& c = space->caller;
        return c.is_valid(c.user, values(b)) && c.passes(c.user, values(a), values(b));
    }
    bool checkMotion(const ob::State* a, const ob::State* b,
                     std::pair<ob::State*, double>& last) const override {
        bool good = checkMotion(a, b);
        last.second = good ? 1 : 0;
        if (!good && last.first) space->copyState(last.first, a);
        return good;
    }

  private:
    const Space* space;
};

} // namespace

struct peer_reach {
    std::shared_ptr<Space> space;
    ob::SpaceInformationPtr information;
};

peer_reach* peer_reach_build(const peer_reach_space* s) {
    ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
    ompl::RNG::setSeed(1);
    auto* peer = new peer_reach;
    peer->space = std::make_shared<Space>(*s);
    peer->space->measure();
    peer->information = std::make_shared<ob::SpaceInformation>(peer->space);
    Space* space = peer->space.get();
    peer->information->setStateValidityChecker([space](const ob::State* state) {
        std::lock_guard<std::recursive_mutex> lock(space->mutex);
        return space->caller.is_valid(space->caller.user, values(state)) != 0;
    });
    // without a test of moves OMPL looks at states every hundredth of the space's extent, as it does by
    // default
    if (s->passes) peer->information->setMotionValidator(std::make_shared<Moves>(peer->information, space));
    peer->information->setup();
    return peer;
}

void peer_reach_free(peer_reach* peer) { delete peer; }

double peer_reach_length(peer_reach* peer, const double* controls, int count) {
    double length = 0;
    for (int i = 0; i + 1 < count; i++)
        length += peer->space->fineLength(controls + i * WIDTH, controls + (i + 1) * WIDTH);
    return length;
}

static double length_of(peer_reach* peer, og::PathGeometric& path) {
    double length = 0;
    for (std::size_t i = 0; i + 1 < path.getStateCount(); i++)
        length += peer->space->fineLength(values(path.getState(i)), values(path.getState(i + 1)));
    return length;
}

peer_reach_answer peer_reach_solve(peer_reach* peer, const double* from, const double* to, int prm,
                                   double limit_s) {
    peer_reach_answer answer = {};
    auto problem = std::make_shared<ob::ProblemDefinition>(peer->information);
    ob::ScopedState<Space> a(peer->space), b(peer->space);
    std::memcpy(a->values, from, sizeof(double) * WIDTH);
    std::memcpy(b->values, to, sizeof(double) * WIDTH);
    problem->setStartAndGoalStates(a, b);
    ob::PlannerPtr planner;
    if (prm)
        planner = std::make_shared<og::PRM>(peer->information);
    else
        planner = std::make_shared<og::RRTConnect>(peer->information);
    planner->setProblemDefinition(problem);
    planner->setup();
    double began = work_s();
    ob::PlannerStatus status = planner->solve(limit_s);
    answer.plan_s = work_s() - began;
    answer.found = status == ob::PlannerStatus::EXACT_SOLUTION;
    if (!answer.found) return answer;
    auto path = std::static_pointer_cast<og::PathGeometric>(problem->getSolutionPath());
    began = work_s();
    og::PathSimplifier(peer->information).simplifyMax(*path);
    answer.simplify_s = work_s() - began;
    answer.length_m = length_of(peer, *path);
    return answer;
}

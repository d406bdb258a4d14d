# bash completion for holdfast; made by: holdfast help --bash-completion
_holdfast() {
    local word=${COMP_WORDS[COMP_CWORD]} options=
    case ${COMP_WORDS[1]} in
        info) options="--json --quiet --time-limit --package-path --unit --rate --joints --clip --up --creature --scenario" ;;
        pose) options="--output --json --quiet --seed --threads --time-limit --package-path --size --samples --azimuth --elevation --zoom --focus --distance --no-picture" ;;
        sample) options="--json --quiet --seed --threads --time-limit --package-path --unit --count --limb --cache" ;;
        contact) options="--output --json --quiet --seed --threads --time-limit --package-path --size --samples --azimuth --elevation --zoom --focus --distance --no-picture --count --choices --compare --limb --cache --set" ;;
        plan) options="--output --json --quiet --seed --threads --time-limit --package-path --fps --size --samples --azimuth --elevation --zoom --focus --distance --no-picture --count --refine --raw --trunk-scale --set --static --roadmap" ;;
        roadmap) options="--output --json --quiet --seed --threads --time-limit --package-path --trunk-scale --set --control" ;;
        reach) options="--output --json --quiet --seed --threads --time-limit --package-path --size --samples --azimuth --elevation --zoom --focus --distance --no-picture --set --roadmap --control" ;;
        stand) options="--output --json --quiet --seed --threads --time-limit --package-path --unit --size --samples --azimuth --elevation --zoom --focus --distance --no-picture --scene --at" ;;
        realise) options="--output --json --quiet --threads --time-limit --package-path --creature --scenario --size --samples --azimuth --elevation --zoom --focus --distance --no-picture" ;;
        adapt) options="--output --json --quiet --threads --time-limit --package-path --unit --rate --joints --clip --up --mapping --ground --fit-scene --scale-scene --vary --creature --size --samples --azimuth --elevation --zoom --focus --distance --no-picture --set --scene" ;;
        refine) options="--output --json --quiet --threads --time-limit --package-path --fps --creature --scenario --size --samples --azimuth --elevation --zoom --focus --distance --no-picture --compare --set --warm" ;;
        check) options="--json --quiet --threads --time-limit --package-path --creature --scenario --dynamic" ;;
        render) options="--output --json --quiet --threads --time-limit --package-path --unit --rate --joints --clip --up --creature --scenario --strip --plot --with --columns --frame --size --samples --azimuth --elevation --zoom --focus --distance --task --reach --no-ground" ;;
        export) options="--output --json --quiet --time-limit --package-path --unit --fps --quaternion --rig --rate --joints --clip --up --creature --scenario" ;;
        bench) options="--output --json --quiet --seed --threads --time-limit --package-path --size --samples --count --query --data --only --set" ;;
        help) options="" ;;
    esac
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "info pose sample contact plan roadmap reach stand realise adapt refine check render export bench help" -- "$word"))
    elif [ "${word#-}" != "$word" ]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _holdfast holdfast
